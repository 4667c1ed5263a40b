import type { PublishedProduct } from './published-product.ts'
import { wordId } from './value-id.ts'
import { codeOf, termsOf } from './words.ts'

/** A value of a product that it is found by, or counted by. */
export interface SearchValue {
  readonly field: string
  readonly value: string
  readonly number: number | null
  /** As a tsvector: the words of a text, by which values of facets are looked up. */
  readonly words: string
}

/**
 * How rows for searches are written, as a number: rows of editions with a lower one are written anew (see
 * `reindex-search.ts`). Raise it whenever `searchable` writes something else of the same product.
 */
export const searchForm = 3

/** What a search goes by of a product. */
export interface Searchable {
  readonly codes: readonly string[]
  /** As PostgreSQL reads a tsvector: each word with where it is. */
  readonly words: string
  readonly values: readonly SearchValue[]
  /** What stands for the words of its values: see `wordId`. */
  readonly wordIds: readonly string[]
}

/** Longer texts are searched, and not compared as a whole: an index has no room for them, or for longer names. */
const valueMax = 255
/** More values of one product are not compared, */
const valuesMax = 500
/** and no more words of them. */
const wordsMax = 1000
/** What is behind that in a description is not searched, */
const textMax = 20_000
/** nor what is behind that in its translations together. */
const translationsMax = 80_000
/** A vector has room for a megabyte. */
const vectorBytesMax = 800_000

/**
 * What is compared of a product elsewhere (its columns), is the same of all, or is no value: texts to be searched,
 * and objects that are there for carts.
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

/** What a search goes by, from what is published of a product. */
export function searchable({ doc, hidden }: Pick<PublishedProduct, 'doc' | 'hidden'>): Searchable {
  const { name, sku, manufacturer_part_num: part, description } = doc.attributes
  const translations = Object.values((hidden.locales ?? {}) as Translations)
  const codes = [sku, part].map((code) => codeOf(textOf(code)))
  const values = new Map<string, SearchValue>()
  const wordIds = new Set<string>()
  const add: Add = (field, value, number) => {
    const isShort = value.length <= valueMax && field.length <= valueMax
    const key = JSON.stringify([field, value])
    if (!isShort || values.size === valuesMax || values.has(key)) return
    // Numbers are compared as such.
    const terms = number === undefined ? termsOf(value) : []
    values.set(key, {
      field,
      value,
      number: number ?? null,
      words: terms.map((term) => `'${term}'`).join(' '),
    })
    for (const term of terms) if (wordIds.size < wordsMax) wordIds.add(wordId(field, term))
  }
  // Lists are filtered by tags too: whatever else there is, these are kept.
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
      termsOf(
        `${textOf(description).slice(0, textMax)}\n${describedIn(translations).slice(0, translationsMax)}`,
      ),
    ),
    values: [...values.values()],
    wordIds: [...wordIds],
  }
}

type Translations = Readonly<Record<string, { readonly name?: unknown; readonly description?: unknown }>>

/** The descriptions in all languages: a shopper who reads one of them searches in it. */
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

/** Where a word stands among others is not asked: its place tells which of the texts it is in. */
function vectorOf(...texts: readonly (readonly string[])[]): string {
  const places = new Map<string, string[]>()
  let bytes = 0
  for (const [text, words] of texts.entries()) {
    for (const word of new Set(words.filter(Boolean))) {
      const place = `${text + 1}${weights[text]}`
      const known = places.get(word)
      bytes += known ? 2 : Buffer.byteLength(word) + 8
      if (bytes > vectorBytesMax) break
      if (known) known.push(place)
      else places.set(word, [place])
    }
  }
  return [...places].map(([word, at]) => `'${word}':${at.join()}`).join(' ')
}
