import type { Filter, Operand } from '../../server/search/filter-syntax.ts'
import type { Any } from './merchant.ts'

/** A product as shoppers see it, and what its categories are. */
export interface Listed {
  readonly document: Any
  readonly categories: Readonly<Record<string, readonly string[]>>
}

/** What a product has under the name of a field. */
export function valuesIn({ document, categories }: Listed, field: string): readonly unknown[] {
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

export function meets(product: Listed, filter: Filter): boolean {
  if (filter.is !== 'term') {
    const parts = filter.of.map((part) => meets(product, part))
    return filter.is === 'all' ? parts.every(Boolean) : parts.some(Boolean)
  }
  const values = valuesIn(product, filter.field)
  const isMet = values.some((value) => filter.operands.some((operand) => is(value, operand, filter.how)))
  return isMet !== filter.not
}

function is(value: unknown, operand: Operand, how: 'whole' | 'words'): boolean {
  if (operand.is === 'text') {
    if (typeof value === 'number') return operand.text !== '' && Number(operand.text) === value
    return how === 'whole' || typeof value !== 'string'
      ? String(value) === operand.text
      : hasAll(wordsIn(value), wordsIn(operand.text))
  }
  if (typeof value !== 'number') return false
  if (operand.is === 'range') return value >= Number(operand.from) && value <= Number(operand.to)
  const limit = Number(operand.number)
  return { '>': value > limit, '>=': value >= limit, '<': value < limit, '<=': value <= limit }[operand.op]
}

const hasAll = (words: readonly string[], asked: readonly string[]) =>
  asked.length > 0 && asked.every((word) => words.includes(word))

/** Words of Latin letters and digits. */
export const wordsIn = (text: string): string[] =>
  text
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)

/** How well a product has what is asked for; undefined where it has not. */
export function scoreOf({ document: { attributes } }: Listed, q: string): number | undefined {
  const asked = wordsIn(q)
  const codes = [attributes.sku, attributes.manufacturer_part_num].map((code) => wordsIn(code ?? ''))
  const joined = codes.map((words) => words.join(''))
  const name = wordsIn(attributes.name)
  const all = [...name, ...codes.flat(), ...joined, ...wordsIn(attributes.description ?? '')]
  const within = (words: string[], word: string, i: number) =>
    words.some((one) => one === word || (i === asked.length - 1 && one.startsWith(word)))
  if (!asked.every((word, i) => within(all, word, i))) return undefined
  const inName = asked.filter((word, i) => within(name, word, i)).length
  return (asked.length && joined.includes(asked.join('')) ? 1000 : 0) + inName * 3 + (asked.length - inName)
}

/** What a search finds, in its order. */
export function searched(
  products: readonly Listed[],
  q: string,
  filter: Filter | undefined,
): readonly Listed[] {
  const found = products.flatMap((product) => {
    const score = scoreOf(product, q)
    return score === undefined || (filter && !meets(product, filter)) ? [] : [{ product, score }]
  })
  const lastFirst = (one: Any, other: Any) =>
    one.attributes.updated_at === other.attributes.updated_at
      ? one.id < other.id
      : one.attributes.updated_at < other.attributes.updated_at
  return found
    .sort(
      (one, other) =>
        other.score - one.score || (lastFirst(one.product.document, other.product.document) ? 1 : -1),
    )
    .map(({ product }) => product)
}

/** How many products have each value of a field: the most frequent first. */
export function counted(products: readonly Listed[], field: string, most: number) {
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
export function written(filter: Filter, loose: () => boolean): string {
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
