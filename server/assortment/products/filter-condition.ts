import { filterOfBody } from '../../kernel/query/filter-of-body.ts'
import { products } from './products.ts'

/**
 * The SQL condition of a product filter, for statements of other modules over `products`. It is a subselect, so the
 * filter's columns cannot clash with those of other tables in the statement. Undefined for an empty filter; throws a
 * Problem (400) for one that the list of products refuses.
 */
export function filterCondition(filter: string): ((bind: (value: unknown) => string) => string) | undefined {
  const matches = filterOfBody(products, filter, true)
  return (
    matches &&
    ((bind) =>
      `products.id IN (SELECT products.id FROM products WHERE products.store_id = $1 AND ${matches(bind)})`)
  )
}
