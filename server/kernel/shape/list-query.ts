/** How many values each filter operator takes after its field. */
export const filterOperators = {
  eq: 'one',
  like: 'one',
  ilike: 'one',
  in: 'some',
  gt: 'one',
  ge: 'one',
  lt: 'one',
  le: 'one',
  is_null: 'none',
  contains: 'one',
  contains_any: 'some',
  contains_all: 'some',
  text: 'one',
} as const satisfies Record<string, 'none' | 'one' | 'some'>

export type Op = keyof typeof filterOperators

/** A group has two or more parts. No `and` is a part of another `and`, and no `or` of another `or`. */
export type Filter =
  | { readonly is: 'and' | 'or'; readonly parts: readonly Filter[] }
  | { readonly is: 'term'; readonly op: Op; readonly field: string; readonly values: readonly string[] }

/** The parameters of a list request: well-formed, but not yet compared with the fields of a resource. */
export interface ListQuery {
  readonly limit: number | undefined
  readonly offset: number
  /** Whether it has `page[limit]`, `page[offset]` or a cursor. */
  readonly isPaged: boolean
  /** An empty token is the very start (`after`) or the very end (`before`) of the list. */
  readonly cursor: { readonly direction: 'after' | 'before'; readonly token: string } | undefined
  readonly sort: { readonly field: string; readonly descending: boolean } | undefined
  readonly filter: Filter | undefined
  readonly include: readonly string[]
}
