import { condition } from '../kernel/query/condition.ts'
import { parse } from '../kernel/query/parse.ts'
import { plan } from '../kernel/query/plan.ts'
import { products } from './products.ts'

/**
 * What a filter of the list of products asks of them, for statements of other chapters: a condition on rows of
 * `products`. Undefined where it asks for nothing; a Problem (400) where the list would refuse it.
 */
export function filterCondition(filter: string): ((bind: (value: unknown) => string) => string) | undefined {
  const planned = plan(parse(`filter=${encodeURIComponent(filter)}`), products).filter
  return planned && ((bind) => condition(planned, { bind }))
}
