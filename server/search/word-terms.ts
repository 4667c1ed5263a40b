import type { Store } from '../kernel/storage/store.ts'
import { wordsOf } from '../publishing/index.ts'
import { type Filter, isNumber, type Operand } from './filter-syntax.ts'
import { searchField } from './search-fields.ts'
import type { Shop } from './search-sql.ts'

/** Whether a value has all of the words that are asked for. Numbers are compared as such. */
export function hasWords(value: string, asked: string): boolean {
  if (isNumber(value)) return isNumber(asked) && Number(asked) === Number(value)
  const words = new Set(wordsOf(value))
  const wanted = wordsOf(asked)
  return wanted.length > 0 && wanted.every((word) => words.has(word))
}

/**
 * The filter with the values in place of the words that they have: products by the values of most fields are found
 * by the whole value. Fields have far fewer values than there are products.
 */
export async function withWholeValues(store: Store, filter: Filter, shop: Shop): Promise<Filter> {
  if (filter.is !== 'term') {
    const of = await Promise.all(filter.of.map((part) => withWholeValues(store, part, shop)))
    return { is: filter.is, of }
  }
  const field = searchField(filter.field)
  const asked = filter.operands.flatMap((operand) => (operand.is === 'text' ? operand.text : []))
  if (filter.how === 'whole' || !asked.length || field.in !== 'values') return filter
  const values = await differentValues(store, shop, field.name)
  const whole = values
    .filter((value) => asked.some((words) => hasWords(value, words)))
    .map((text): Operand => ({ is: 'text', text }))
  const others = filter.operands.filter(({ is }) => is !== 'text')
  return { ...filter, how: 'whole', operands: [...whole, ...others] }
}

async function differentValues(store: Store, { catalogId }: Shop, field: string): Promise<readonly string[]> {
  const rows = await store.rows(
    'SELECT value FROM published_values WHERE store_id = $1 AND catalog_id = $2 AND field = $3',
    catalogId,
    field,
  )
  return rows.map(([value]) => value as string)
}
