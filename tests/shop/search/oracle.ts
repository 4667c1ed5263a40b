import type { Operand, SearchFilter } from '../../../server/shop/matching/filter-syntax.ts'
import type { Any } from '../../support/requests.ts'

/** A product as shoppers see it, and what its categories are. */
export interface ListedProduct {
  readonly document: Any
  readonly categories: Readonly<Record<string, readonly string[]>>
}

/** What a product has under the name of a field. */
export function valuesIn({ document, categories }: ListedProduct, field: string): readonly unknown[] {
  const name = field.replace('meta.search.', '').replace(/^attributes\./, '')
  if (name.startsWith('categories.')) return categories[name.slice('categories.'.length)] ?? []
  if (name === 'id') return [document.id]
  if (name.startsWith('meta.')) return atPath(document.meta, name.slice('meta.'.length))
  const [, currency, unit] = /^price\.(\w+)\.(\w+)$/.exec(name) ?? []
  if (!currency) return atPath(document.attributes, name)
  const { amount } = document.attributes.price?.[currency] ?? {}
  if (amount === undefined) return []
  return [unit === 'amount' ? amount : amount / (currency === 'JPY' ? 1 : 100)]
}

/** Keys may have dots in them. */
function atPath(value: Any, path: string): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap((one) => atPath(one, path))
  if (path === '') return typeof value === 'object' ? [] : [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.keys(value).flatMap((key) => {
    if (path === key) return atPath(value[key], '')
    return path.startsWith(`${key}.`) ? atPath(value[key], path.slice(key.length + 1)) : []
  })
}

export function meets(product: ListedProduct, filter: SearchFilter): boolean {
  if (filter.is !== 'term') {
    const parts = filter.of.map((part) => meets(product, part))
    return filter.is === 'all' ? parts.every(Boolean) : parts.some(Boolean)
  }
  const values = valuesIn(product, filter.field)
  const isMet = filter.operands.some(
    (operand) =>
      values.some((value) => is(value, operand, filter.how)) ||
      (operand.is === 'text' && filter.how === 'words' && hasWords(values, operand.text)),
  )
  return isMet !== filter.not
}

function is(value: unknown, operand: Operand, how: 'whole' | 'words'): boolean {
  if (operand.is === 'text') {
    if (typeof value === 'number') return operand.text !== '' && Number(operand.text) === value
    return how === 'whole' && String(value) === operand.text
  }
  if (typeof value !== 'number') return false
  if (operand.is === 'range') return value >= Number(operand.from) && value <= Number(operand.to)
  const limit = Number(operand.number)
  return { '>': value > limit, '>=': value >= limit, '<': value < limit, '<=': value <= limit }[operand.op]
}

/** Words may be in several values of a field. */
function hasWords(values: readonly unknown[], text: string): boolean {
  const terms = values.filter((value) => typeof value !== 'number').flatMap((value) => termsIn(String(value)))
  const units = unitsIn(text)
  return units.length > 0 && units.every((unit) => hasUnit(terms, unit, false))
}

/** Words of Latin letters and digits, with the parts of those that hyphens join. */
const unitsIn = (text: string): readonly (readonly string[])[] =>
  text
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9-]+/)
    .map((unit) => unit.split('-').filter(Boolean))
    .filter(({ length }) => length)

const wordsIn = (text: string): string[] => unitsIn(text).flat()

/** Words, and compounds as one word. */
const termsIn = (text: string): string[] => unitsIn(text).flatMap((parts) => [...parts, parts.join('')])

function hasUnit(terms: readonly string[], parts: readonly string[], isPrefix: boolean): boolean {
  const has = (word: string, prefix: boolean) =>
    terms.some((one) => one === word || (prefix && one.startsWith(word)))
  const hasParts = parts.every((part, i) => has(part, isPrefix && i === parts.length - 1))
  return hasParts || has(parts.join(''), isPrefix)
}

const stopWords = new Set(['of', 'the', 'in'])

/** How well a product has what is asked for; undefined where it has not. */
export function scoreOf({ document: { attributes } }: ListedProduct, q: string): number | undefined {
  const units = unitsIn(q)
  if (!units.length) return ['', '*'].includes(q.trim()) ? 0 : undefined
  const codes = [attributes.sku, attributes.manufacturer_part_num].map((code) => code ?? '')
  const joined = codes.map((code) => wordsIn(code).join(''))
  const name = termsIn(attributes.name)
  const all = [...name, ...codes.flatMap(termsIn), ...joined, ...termsIn(attributes.description ?? '')]
  const isStopWord = (unit: readonly string[]) => stopWords.has(unit.join(''))
  const isOptional = (unit: readonly string[]) => isStopWord(unit) && !units.every(isStopWord)
  const within = (terms: string[], unit: readonly string[], i: number) =>
    hasUnit(terms, unit, i === units.length - 1)
  if (!units.every((unit, i) => isOptional(unit) || within(all, unit, i))) return undefined
  const inName = units.filter((unit, i) => within(name, unit, i)).length
  return (joined.includes(wordsIn(q).join('')) ? 1000 : 0) + inName * 2
}

/** What a search finds, in its order. */
export function searched(
  products: readonly ListedProduct[],
  q: string,
  filter: SearchFilter | undefined,
): readonly ListedProduct[] {
  const matches = products.flatMap((product) => {
    const score = scoreOf(product, q)
    return score === undefined || (filter && !meets(product, filter)) ? [] : [{ product, score }]
  })
  const lastFirst = (one: Any, other: Any) =>
    one.attributes.updated_at === other.attributes.updated_at
      ? one.id < other.id
      : one.attributes.updated_at < other.attributes.updated_at
  return matches
    .sort(
      (one, other) =>
        other.score - one.score || (lastFirst(one.product.document, other.product.document) ? 1 : -1),
    )
    .map(({ product }) => product)
}

/** Products by the first of their values of a field, those without one last. Letters of ASCII count without case. */
export function sorted(
  products: readonly ListedProduct[],
  field: string,
  descending: boolean,
): readonly ListedProduct[] {
  const key = (product: ListedProduct) => {
    const values = valuesIn(product, field).map((value) =>
      typeof value === 'number' ? value : String(value).replace(/[A-Z]/g, (letter) => letter.toLowerCase()),
    ) as string[]
    const inOrder = values.sort((one, other) => (one < other ? -1 : one > other ? 1 : 0))
    return descending ? inOrder.at(-1) : inOrder[0]
  }
  return products.toSorted((one, other) => {
    const [a, b] = [key(one), key(other)]
    if (a === b) return 0
    if (a === undefined || b === undefined) return a === undefined ? 1 : -1
    return a < b === descending ? 1 : -1
  })
}

/** How many products have each value of a field: the most frequent first. */
export function counted(products: readonly ListedProduct[], field: string, most: number) {
  const counts = new Map<string, number>()
  const numbers: number[] = []
  for (const product of products) {
    for (const value of new Set(valuesIn(product, field))) {
      counts.set(String(value), (counts.get(String(value)) ?? 0) + 1)
      if (typeof value === 'number') numbers.push(value)
    }
  }
  return {
    counts: counts.size,
    most: [...counts.values()].sort((a, b) => b - a).slice(0, most),
    of: counts,
    numbers,
  }
}

/** A filter as clients write it; `loose` chooses among the ways there are. */
export function written(filter: SearchFilter, loose: () => boolean): string {
  const space = () => (loose() ? ' ' : '')
  if (filter.is !== 'term') {
    const joint = filter.is === 'all' ? '&&' : '||'
    const parts = filter.of.map((part) =>
      part.is === 'term' && loose() ? written(part, loose) : `(${space()}${written(part, loose)}${space()})`,
    )
    return parts.join(`${space()}${joint}${space()}`)
  }
  const { field, not, how, operands } = filter
  const [only] = operands
  if (operands.length === 1 && only?.is === 'bound' && !not && how === 'whole') {
    return `${field}:${space()}${only.op}${space()}${only.number}`
  }
  const operator = `${not ? '!' : ''}${how === 'whole' ? '=' : ''}${space()}`
  const operand = (one: Operand) => {
    if (one.is === 'range') return `${one.from}..${one.to}`
    if (one.is === 'bound') return `${one.op}${one.number}`
    return /^[\w -]+$/.test(one.text) && one.text.trim() === one.text && loose()
      ? one.text
      : `\`${one.text}\``
  }
  const single = operands.length === 1 && only?.is === 'text' && loose()
  return `${field}:${operator}${single && only ? operand(only) : `[${operands.map(operand).join(`,${space()}`)}]`}`
}
