import type { Model } from '../shape/model.ts'
import type { Binds } from '../storage/binds.ts'
import { condition } from './condition.ts'
import { parse } from './parse.ts'
import { plan } from './plan.ts'

/**
 * The SQL condition of a filter that a body has, such as that of an export, for statements over the resource's table.
 * `alone` says that the statement has no other condition on it. Undefined for an empty text; throws a Problem (400) for
 * one that the list of the resource refuses.
 */
export function filterOfBody(
  resource: Model,
  filter: string,
  alone = false,
): ((bind: Binds['bind']) => string) | undefined {
  const planned = plan(parse(`filter=${encodeURIComponent(filter)}`), resource).filter
  return planned && ((bind) => condition(planned, { bind }, alone))
}
