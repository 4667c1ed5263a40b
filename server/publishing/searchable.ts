import type { PublishedProduct } from './published-product.ts'
import { codeOf, wordsOf } from './words.ts'

/** A value of a product that it is found by, or counted by. */
export interface SearchValue {
  readonly field: string
  readonly value: string
  readonly number: number | null
}

/** What a search goes by of a product. */
export interface Searchable {
  readonly codes: readonly string[]
  /** As PostgreSQL reads a tsvector: each word with where it is. */
  readonly words: string
  readonly values: readonly SearchValue[]
}

/** Longer texts are searched, and not compared as a whole: an index has no room for them, or for longer names. */
const valueMax = 255
/** More values of one product are not compared. */
const valuesMax = 500
/** What is behind that in a description is not searched, */
const textMax = 20_000
/** nor what is behind that in its translations together: a vector has room for a megabyte. */
const translationsMax = 80_000

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
  const add = (found: SearchValue) => {
    const isShort = found.value.length <= valueMax && found.field.length <= valueMax
    if (isShort && values.size < valuesMax) {
      values.set(JSON.stringify([found.field, found.value]), found)
    }
  }
  // Lists are filtered by tags too: whatever else there is, these are kept.
  valuesIn('tags', doc.attributes.tags, add)
  for (const [level, paths] of Object.entries(hidden.categories)) valuesIn(`categories.${level}`, paths, add)
  valuesIn('meta.product_types', doc.meta.product_types, add)
  for (const [field, value] of Object.entries(doc.attributes)) {
    if (!others.has(field)) valuesIn(field, value, add)
  }
  return {
    codes: codes.filter(Boolean),
    words: vectorOf(
      wordsOf([name, ...translations.map(({ name }) => name)].map(textOf).join(' ')),
      [...wordsOf(textOf(sku)), codes[0] as string],
      [...wordsOf(textOf(part)), codes[1] as string],
      wordsOf(`${textOf(description).slice(0, textMax)} ${told(translations).slice(0, translationsMax)}`),
    ),
    values: [...values.values()],
  }
}

type Translations = Readonly<Record<string, { readonly name?: unknown; readonly description?: unknown }>>

/** What a product is called and told to be in any language: whoever reads it in one searches in that. */
const told = (translations: readonly Translations[string][]): string =>
  translations.map(({ description }) => textOf(description).slice(0, textMax)).join(' ')

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

function valuesIn(field: string, value: unknown, add: (found: SearchValue) => void): void {
  if (typeof value === 'string') add({ field, value, number: null })
  else if (typeof value === 'number') add({ field, value: String(value), number: value })
  else if (typeof value === 'boolean') add({ field, value: String(value), number: null })
  else if (Array.isArray(value)) for (const one of value) valuesIn(field, one, add)
  else if (typeof value === 'object' && value) {
    for (const [name, member] of Object.entries(value)) valuesIn(`${field}.${name}`, member, add)
  }
}

const weights = 'ABCD'

/** Where a word stands among others is not asked: its place tells which of the texts it is in. */
function vectorOf(...texts: readonly (readonly string[])[]): string {
  const places = new Map<string, string[]>()
  for (const [text, words] of texts.entries()) {
    for (const word of new Set(words.filter(Boolean))) {
      const place = `${text + 1}${weights[text]}`
      const known = places.get(word)
      if (known) known.push(place)
      else places.set(word, [place])
    }
  }
  return [...places].map(([word, at]) => `'${word}':${at.join()}`).join(' ')
}
