import type { PublishedProduct } from './published-product.ts'
import { type SearchValue, SearchValues } from './search-values.ts'
import { codeLexeme, codeOf, termsOf } from './words.ts'

/**
 * The format of search rows. Raise it whenever `searchable` gives another result for the same product: editions with
 * a lower number are rewritten (see `reindex-search.ts`).
 */
export const searchForm = 4

/** The searchable parts of a product. */
interface Searchable {
  readonly codes: readonly string[]
  /** A tsvector literal: each word with its positions. */
  readonly words: string
  readonly values: readonly SearchValue[]
  /** The ids of the words of its values. */
  readonly wordIds: readonly string[]
}

/** Longer texts are searched by words but not compared as a whole, because they do not fit into an index. */
const valueMax = 255
/** Further values of a product are not compared, */
const valuesMax = 500
/** nor further words of them. */
const wordsMax = 1000
/** The rest of a longer description is not searched, */
const textMax = 20_000
/** nor the rest of longer translations. */
const translationsMax = 80_000
/** A tsvector holds at most a megabyte. */
const vectorBytesMax = 800_000

/**
 * Attributes that are no values for filters: they are columns, the same for all, only searched as text, or objects
 * for carts.
 */
const others = new Set([
  'name',
  'sku',
  'slug',
  'manufacturer_part_num',
  'upc_ean',
  'description',
  'status',
  'created_at',
  'updated_at',
  'components',
  'custom_inputs',
])

/** Extracts what can be searched from a published product. `shared` has the values of other products, too. */
export function searchable(
  { doc, hidden }: Pick<PublishedProduct, 'doc' | 'hidden'>,
  shared = new SearchValues(),
): Searchable {
  const { name, sku, manufacturer_part_num: part, description, upc_ean, external_ref } = doc.attributes
  const translations = Object.values((hidden.locales ?? {}) as Translations)
  const codes = [sku, part, upc_ean, external_ref].map((code) => codeOf(textOf(code)))
  const values = new Map<string, SearchValue>()
  const wordIds = new Set<string>()
  const add: Add = (field, value, number) => {
    const isShort = value.length <= valueMax && field.length <= valueMax
    if (!isShort || values.size === valuesMax) return
    const searchValue = shared.of(field, value, number)
    if (values.has(searchValue.id)) return
    values.set(searchValue.id, searchValue)
    for (const id of searchValue.wordIds) if (wordIds.size < wordsMax) wordIds.add(id)
  }
  // Lists are filtered by tags too, so tags are always included.
  valuesIn('tags', doc.attributes.tags, add)
  for (const [level, paths] of Object.entries(hidden.categories)) valuesIn(`categories.${level}`, paths, add)
  valuesIn('nodes.slug', hidden.node_slugs, add)
  valuesIn('meta.product_types', doc.meta.product_types, add)
  for (const [field, value] of Object.entries(doc.attributes)) {
    if (!others.has(field)) valuesIn(field, value, add)
  }
  return {
    codes: codes.filter(Boolean),
    words: vectorOf(
      termsOf([name, ...translations.map(({ name }) => name)].map(textOf).join('\n')),
      [...termsOf(textOf(sku)), codes[0] as string],
      [...termsOf(textOf(part)), codes[1] as string],
      [
        ...termsOf(
          `${textOf(description).slice(0, textMax)}\n${describedIn(translations).slice(0, translationsMax)}`,
        ),
        ...codes.slice(2).flatMap((code) => (code ? codeLexeme(code) : [])),
      ],
    ),
    values: [...values.values()],
    wordIds: [...wordIds],
  }
}

type Translations = Readonly<Record<string, { readonly name?: unknown; readonly description?: unknown }>>

/** The descriptions in all languages, because shoppers search in their own. */
const describedIn = (translations: readonly Translations[string][]): string =>
  translations.map(({ description }) => textOf(description).slice(0, textMax)).join('\n')

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

type Add = (field: string, value: string, number?: number) => void

function valuesIn(field: string, value: unknown, add: Add): void {
  if (typeof value === 'string') add(field, value)
  else if (typeof value === 'number') add(field, String(value), value)
  else if (typeof value === 'boolean') add(field, String(value))
  else if (Array.isArray(value)) for (const one of value) valuesIn(field, one, add)
  else if (typeof value === 'object' && value) {
    for (const [name, member] of Object.entries(value)) valuesIn(`${field}.${name}`, member, add)
  }
}

const weights = 'ABCD'

/** Positions are not needed for phrases: they say which text has the word. */
function vectorOf(...texts: readonly (readonly string[])[]): string {
  const places = new Map<string, string>()
  let bytes = 0
  for (const [text, words] of texts.entries()) {
    const place = `${text + 1}${weights[text]}`
    for (const word of words) {
      const before = places.get(word)
      if (!word || before?.endsWith(place)) continue
      bytes += before === undefined ? Buffer.byteLength(word) + 8 : 2
      if (bytes > vectorBytesMax) break
      places.set(word, before === undefined ? place : `${before},${place}`)
    }
  }
  let vector = ''
  for (const [word, at] of places) vector += `${vector && ' '}'${word}':${at}`
  return vector
}
