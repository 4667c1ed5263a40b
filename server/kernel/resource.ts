import type { Ctx, Principal, Work } from './context.ts'
import { type Field, type FieldOptions, type Fields, type JsonSchema, object, type Values } from './fields.ts'
import type { Ask, Op } from './query/parse.ts'

/** What kind of values a filter compares. */
export type Kind = 'text' | 'uuid' | 'time' | 'number' | 'boolean'

/** How one field may be filtered, where the plain list of operators does not say enough. */
export interface FilterRule {
  readonly ops: readonly Op[]
  readonly kind?: Kind
  /** The table's column, when it is not named as the field. */
  readonly column?: string
  /** `eq` ignores case. */
  readonly caseless?: boolean
  /** The SQL of a term that is not one column's comparison; `bind` turns a value into its placeholder. */
  readonly where?: (
    op: Op,
    values: readonly string[],
    bind: (value: unknown) => string,
    element?: number,
  ) => string
  /** Set by the planner for `field[3]`: which element of the list is asked for. */
  readonly element?: number
}

const comparisons = ['lt', 'le', 'eq', 'gt', 'ge'] as const

/** The filters that a walk over a list goes by (requirement §4.3). */
export const walks = {
  id: [...comparisons, 'in'],
  created_at: comparisons,
  updated_at: comparisons,
} as const satisfies Record<string, readonly Op[]>

export type OperationName = 'list' | 'create' | 'get' | 'update' | 'delete'

/** How an area of the public contract writes what every area says. See docs/api-design.md. */
export interface Dialect {
  /** `meta.created_at`, or `meta.timestamps.created_at`; `none` shows no times. */
  readonly meta: 'flat' | 'timestamps' | 'none'
  /** `links` of a single object: a sibling of `data`, inside it, or left out. */
  readonly links: 'beside' | 'inside' | 'none'
  /** Links start with the address the client used, or (relative) with the path after this prefix. */
  readonly href: 'absolute' | { readonly after: string }
  /** Digits after the second. Milliseconds are stored; where six are printed the last three are zeros. */
  readonly digits: 3 | 6
}

export const dialects = {
  /** Identity: flat times, links beside. */
  identity: { meta: 'flat', links: 'beside', href: 'absolute', digits: 3 },
  /** Accounts: nested times, links beside. */
  accounts: { meta: 'timestamps', links: 'beside', href: 'absolute', digits: 3 },
  /** Addresses and keys: nested times, links inside. */
  inside: { meta: 'timestamps', links: 'inside', href: 'absolute', digits: 3 },
  keys: { meta: 'timestamps', links: 'inside', href: { after: '' }, digits: 6 },
  /** Custom APIs: relative links without the version. */
  extensions: { meta: 'timestamps', links: 'inside', href: { after: '/v2' }, digits: 3 },
  permissions: { meta: 'timestamps', links: 'inside', href: { after: '' }, digits: 3 },
} as const satisfies Record<string, Dialect>

/** A stored object. `text` is the JSON of what is shown; it is parsed only when someone asks for `doc`. */
// biome-ignore lint/suspicious/noExplicitAny: as for Resource.
export interface Row<F extends Fields = any> {
  readonly id: string
  /** Counts the writes; the entity tag is made of it. */
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
  readonly text: string
  /** The values of the path's parameters above this object, outermost first. */
  readonly scope: readonly string[]
  /** The shown values. */
  readonly doc: Values<F>
  /** The hidden values; only in a row that was read to be changed. */
  readonly hidden: Partial<Values<F>>
}

/** What a write is about to store; a rule of the resource may complete it or refuse by throwing a Problem. */
// biome-ignore lint/suspicious/noExplicitAny: as for Resource.
export interface Draft<F extends Fields = any> {
  readonly id: string
  readonly scope: readonly string[]
  /** Shown and hidden values together. */
  values: Values<F>
  /** The row as it was, on update. */
  readonly before?: Row<F>
}

export interface Definition<F extends Fields> {
  /** The `type` of the object in JSON. */
  readonly type: string
  /** Accepted in place of `type` in requests, where clients in the wild send another. */
  readonly alsoType?: readonly string[]
  /** `data.type` may be left out of requests. */
  readonly typeOptional?: boolean
  /** Singular and plural for operation ids: `account`, `accounts`. */
  readonly noun: readonly [one: string, many: string]
  /** One or two sentences for the reader of the API document. */
  readonly about: string
  /** The collection's path. Its `:parameters` are columns of the table and lead to the parent. */
  readonly path: string
  readonly table: string
  readonly parent?: () => Resource
  readonly fields: F
  readonly filter?: {
    readonly [K in keyof F | 'id' | 'created_at' | 'updated_at' | (string & {})]?: readonly Op[] | FilterRule
  }
  readonly sort?: readonly string[]
  /** The row of the access table that says who may call. */
  readonly area: string
  readonly dialect: Dialect
  readonly operations?: readonly OperationName[]
  /** A condition on the rows that this caller may see, where a shopper's token narrows them; `all`: it does not. */
  readonly visible?: 'all' | ((who: Principal, bind: (value: unknown) => string) => string | undefined)
  /** How many there may be in a list. Those that are made at the same time are counted one after the other. */
  readonly most?: Limit
  /** Completes or refuses a write. With any of these a write runs in a transaction. */
  readonly beforeWrite?: (work: Work, draft: Draft<F>) => Promise<void> | void
  readonly afterWrite?: (work: Work, row: Row<F>, before: Row<F> | undefined) => Promise<void> | void
  readonly beforeDelete?: (work: Work, row: Row<F>) => Promise<void> | void
  readonly afterDelete?: (work: Work, row: Row<F>) => Promise<void> | void
  /** Members of `meta` and `links` beyond the usual. */
  readonly meta?: (row: Row<F>) => Record<string, unknown>
  readonly links?: (row: Row<F>, ctx: Ctx) => Record<string, string>
  /** Members of the list's `meta` beyond paging. */
  readonly listMeta?: (
    ctx: Ctx,
    ask: Ask,
    total: number,
  ) => Promise<Record<string, unknown>> | Record<string, unknown>
  /** What `include=` may name, and how to find it for the rows of an answer. */
  readonly include?: Readonly<Record<string, (ctx: Ctx, rows: readonly Row<F>[]) => Promise<Included>>>
  /** What the client is told when a constraint of the table refuses a write; the rest are bugs. */
  readonly constraints?: Readonly<Record<string, Refusal>>
  /** What clients call an object in place of its id. */
  readonly key?: Key
  /** The columns that lead to its objects, where they are not the path's parameters. */
  readonly scope?: Scope
}

/**
 * A value of an object's own, unique among its siblings, that stands in addresses in place of the id. The id leads there
 * too, unless the field is named `id`: then the value is all that clients know, and the row's id stays inside.
 */
export interface Key {
  readonly field: string
  /** The condition on the row that a name leads to, where it is not equality with the column named as the field. */
  readonly where?: (name: string, bind: (value: unknown) => string) => string
}

/** Rows of a table that others share. */
export interface Scope {
  readonly columns: readonly string[]
  /** Their values for a request; left out where no address leads to the list. */
  readonly of?: (
    ctx: Ctx,
    params: Readonly<Record<string, string>>,
  ) => Promise<readonly string[]> | readonly string[]
}

/** How many objects there may be, and what is said (422) to whoever wants one more. */
export interface Limit {
  readonly n: number | ((work: Work) => Promise<number>)
  readonly detail: (n: number) => string
}

/** Objects shown beside `data`, under the name of their list: `{ account_members: [Resource, rows] }`. */
export type Included = readonly [name: string, of: Resource, rows: readonly Row[]]

/** A broken constraint in a client's words. */
export interface Refusal {
  readonly code: 'conflict' | 'invalid_field' | 'unprocessable' | 'not_found'
  readonly detail: string
  readonly source?: string
}

// biome-ignore lint/suspicious/noExplicitAny: a list of resources holds resources of any fields.
export interface Resource<F extends Fields = any> extends Definition<F> {
  /** The columns that lead to an object besides its id: those of its scope, else the path's parameters. */
  readonly scopeColumns: readonly string[]
}

/** Declares a resource: one kind of object, its fields, its lists and who may do what. */
export function resource<const F extends Fields>(definition: Definition<F>): Resource<F> {
  const parameters = [...definition.path.matchAll(/:(\w+)/g)].map((match) => match[1] as string)
  return { ...definition, scopeColumns: definition.scope?.columns ?? parameters }
}

/** A structured member that the server writes, such as `relationships`. */
export const shown = <T = unknown>(schema: JsonSchema, options: FieldOptions = {}): Field<T | undefined> =>
  object<T, FieldOptions>(schema, { ...options, readOnly: true }) as Field<T | undefined>
