import type { Operation } from '../declare/operation.ts'
import type { Resource } from '../declare/resource.ts'
import { valueTypeOf } from '../query/plan.ts'
import type { Op } from '../shape/list-query.ts'
import { type FilterRule, operatorsOf, orderOf, ownOrderOf, type ValueType } from '../shape/model.ts'

/** The resource that a list operation filters and sorts by; undefined if it is no list, or if it is known at run time. */
export function listedBy({ of }: Operation): Resource | undefined {
  if (of.is === 'resource') return of.name === 'list' ? of.resource : undefined
  if (of.is !== 'action' || !of.action.shows?.page) return undefined
  return of.action.shows.rows?.[0] ?? of.action.shows.resource
}

/**
 * `x-sutler-list`: what a program needs to build the query of a list. In the name of a field `*` stands for one name, and
 * `[]` for one index.
 */
export interface ListFacts {
  /** The type of its objects. */
  readonly type: string
  /** The fields that a filter may name, with what they compare. */
  readonly filter: Readonly<Record<string, { readonly type: ValueType; readonly operators: readonly Op[] }>>
  readonly sort: readonly string[]
  /** The order without `sort`, if `sort` can name it. */
  readonly order?: string
  readonly offsetMax?: number
}

export function listFacts(resource: Resource): ListFacts {
  const filter = Object.entries(resource.filter ?? {}).map(([field, rule]) => {
    const { type = valueTypeOf(resource, field) } = rule as FilterRule
    return [field, { type, operators: operatorsOf(rule as FilterRule) }] as const
  })
  return {
    type: resource.type,
    filter: Object.fromEntries(filter),
    sort: resource.sort ?? [],
    ...(!ownOrderOf(resource) && { order: orderOf(resource) }),
    ...(resource.offsetMax !== undefined && { offsetMax: resource.offsetMax }),
  }
}
