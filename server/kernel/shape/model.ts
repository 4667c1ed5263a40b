import type { Principal } from '../auth/principal.ts'
import type { Envelope } from './envelope.ts'
import type { Changes, Fields, JsonSchema, Values } from './fields.ts'
import type { Op } from './list-query.ts'

/** What a filter compares. */
export type ValueType = 'text' | 'uuid' | 'time' | 'number' | 'boolean'

/**
 * How one field may be filtered, where the plain list of operators does not say enough. It may be a member's
 * (`contact.email`), which has a column or a `where` of its own, or be for many (`labels.*`, `sizes[]`).
 */
export interface FilterRule {
  /** `eq` implies `in`: see `operatorsOf`. */
  readonly ops: readonly Op[]
  readonly type?: ValueType
  /** The table's column, when it is not named as the field. */
  readonly column?: string
  /** `eq` and `in` ignore case; or `like` does, and they do not. */
  readonly caseless?: boolean | 'like'
  /**
   * There is an index of the store, the scope and what is compared, which also has `created_at` and `id`: it answers
   * `eq`, `in` and a `like` with a fixed beginning.
   */
  readonly indexed?: true
  /** The index has only the beginning of the text: see `longText`. */
  readonly long?: true
  /** Of a rule for many: what may stand in place of the `*`, or in the brackets; never over 255 characters. */
  readonly part?: RegExp
  /**
   * The SQL of a term that is not one column's comparison; `bind` turns a value into its placeholder. `part` comes
   * from the client as the values do: bind it too. `alone`: nothing else is asked of the rows of the table.
   */
  readonly where?: (
    op: Op,
    values: readonly string[],
    bind: (value: unknown) => string,
    part: string,
    alone: boolean,
  ) => string
}

const comparisons = ['lt', 'le', 'eq', 'gt', 'ge'] as const

/** The filters that a walk over a list goes by (requirement §4.3). */
export const walks = {
  id: comparisons,
  created_at: comparisons,
  updated_at: comparisons,
} as const satisfies Record<string, readonly Op[]>

/** The operators that a filter on the field takes: `in` wherever `eq` is declared, as clients expect. */
export function operatorsOf(rule: readonly Op[] | FilterRule): readonly Op[] {
  const ops = Array.isArray(rule) ? (rule as readonly Op[]) : (rule as FilterRule).ops
  if (!ops.includes('eq') || ops.includes('in')) return ops
  return ops.flatMap((op) => (op === 'eq' ? ['eq', 'in'] : op))
}

/** Operators that an index answers: see `FilterRule`. */
export const indexed = (...ops: readonly Op[]): FilterRule => ({ ops, indexed: true })

/** The orders that a list may be in by itself, as `sort` writes them and in words. */
export const orders = {
  created_at: 'the oldest first',
  '-created_at': 'the newest first',
  updated_at: 'the least recently changed first',
  '-updated_at': 'the most recently changed first',
} as const

export type Order = keyof typeof orders

/** That of a column of the table's own, which no row is without. */
export interface OwnOrder {
  /** The column, as `sort` would write it: `-place`. */
  readonly by: string
  /** In words, as those of `orders`. */
  readonly about: string
}

interface Ordered {
  readonly order?: Order | OwnOrder
}

const usual: Order = '-created_at'

/** The order of a resource's lists where a request names none, as `sort` writes it. */
export const orderOf = ({ order = usual }: Ordered): string => (typeof order === 'string' ? order : order.by)

/** The same in words. */
export const describeOrder = ({ order = usual }: Ordered): string =>
  typeof order === 'string' ? orders[order] : order.about

/** The column of a table's own that its lists are in the order of, if there is one. */
export const ownOrderOf = ({ order }: Ordered): string | undefined =>
  typeof order === 'object' ? order.by.replace('-', '') : undefined

/** A stored object. `text` is the JSON of what is shown; it is parsed only when someone asks for `doc`. */
export interface Row<F extends Fields = Fields> {
  readonly id: string
  /** Counts the writes; the entity tag is made of it. */
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
  readonly text: string
  /** It is as this request has just written it: its writer is in the feed, and need not be told of as its reader. */
  readonly written: boolean
  /** The values of the path's parameters above this object, outermost first. */
  readonly scope: readonly string[]
  /** The value of the column that its lists are in the order of, where that is one of the table's own. */
  readonly place?: string | undefined
  /** The shown values. */
  readonly doc: Values<F>
  /** The hidden values; only in a row that was read to be changed. */
  readonly hidden: Partial<Values<F>>
  /** What its store had added to the resource when it was read. */
  readonly added?: Added | undefined
}

/** What a write is about to store; a rule of the resource may complete it or refuse by throwing a Problem. */
export interface Draft<F extends Fields = Fields> {
  readonly id: string
  readonly scope: readonly string[]
  /** Shown and hidden values together. */
  values: Values<F>
  /** The row as it was, on update. */
  readonly before?: Row<F>
  /** What the update changes: where the public contract makes something of what is left out. */
  readonly changes?: Changes<F>
}

/** The data half of a resource: what its rows are, how they are stored and listed. Its rules are in `Resource`. */
export interface Model<F extends Fields = Fields> {
  /**
   * The `type` of the object in JSON. Where a list mixes types, each object has its own in a field named `type`: a
   * `choice` of all of them, `required` and `immutable`. This one then names what they have in common.
   */
  readonly type: string
  /** Other values that requests may have in `type`, because some clients send them. */
  readonly alsoType?: readonly string[]
  /** Requests may leave out `data.type`. */
  readonly typeOptional?: boolean
  /** Singular and plural, for operation ids: `gadget`, `gadgets`. */
  readonly noun: readonly [one: string, many: string]
  readonly table: string
  /** The resource above it, where the path has parameters. A function, since that may be declared later. */
  readonly parent?: () => Model
  readonly fields: F
  readonly filter?: {
    readonly [K in keyof F | 'id' | 'created_at' | 'updated_at' | (string & {})]?: readonly Op[] | FilterRule
  }
  readonly sort?: readonly string[]
  /** Its lists ignore `sort`, because clients send one that the public contract does not have. */
  readonly ignoresSort?: true
  /** The order of a list where the request names none: the newest first by default. It needs an index. */
  readonly order?: Order | OwnOrder
  /**
   * `false`: its lists have no counters. They hold few rows, which are counted as they are listed; where clients make
   * them, `most` says how many. `track` is told as well.
   */
  readonly counted?: false
  /** The highest `page[offset]`, where the public contract has one: 400 beyond. Links further down are cursors. */
  readonly offsetMax?: number
  /**
   * The public contract does not page its lists: a request without page parameters gets all records, up to
   * `limits.wholeMax`.
   */
  readonly whole?: true
  readonly envelope: Envelope
  /** A condition on the rows that a shopper sees; `all`: every row. */
  readonly visible?: 'all' | ((who: Principal, bind: (value: unknown) => string) => string | undefined)
  /**
   * Its objects hold personal data. These columns hold the ids of the people they are about: an object is erased with
   * the first, and lists show it to the others. `track` is told as well, see docs/adding-a-resource.md.
   */
  readonly personal?: readonly [first: string, ...others: string[]]
  /**
   * Fields that other rows hold: their schemas, for the API document, and the SQL of their text, as members of an
   * object (`"name":value`), or null. `row` stands before the names of its columns. A write of those rows makes a new
   * version of this one (`touchAll`), unless it is `computed`.
   */
  readonly shownWith?: { readonly fields: Fields; readonly sql: (row: string) => string }
  /**
   * The SQL of what is shown in place of the stored document, with `row` as above: another resource writes the rows,
   * and this one shows them in another form.
   */
  readonly shownAs?: (row: string) => string
  /** Computed for answers, from hidden values too: see `Resource`. */
  readonly meta?: object
  readonly links?: object
  readonly also?: object
  /** What a client reads when a constraint of the table refuses a write. Any other broken constraint is a bug. */
  readonly constraints?: Readonly<Record<string, Refusal>>
  /** What clients call an object in place of its id. */
  readonly key?: Key
  /**
   * A row holds from one edition of its list on (`since`, a whole number) up to another (`until`). The edition of the
   * request is the last value of the scope. `edition_totals` has the number of rows of each; offsets have an
   * `offsetMax`.
   */
  readonly editions?: true
  /** The status of a refusal for the type or range of a field, where the public contract has another than 400. */
  readonly refusedWith?: 422
  /** Unknown attributes are refused, where the public contract does so; elsewhere they are ignored. */
  readonly closed?: boolean
  /** Stores add fields of their own to it: their name in `added_fields`, or the scope's column that has it. */
  readonly addedUnder?: AddedUnder
  /** The filters on added fields, if there are any. */
  readonly addedFilters?: (fields: readonly AddedField[]) => Readonly<Record<string, FilterRule>>
  /** The columns that lead to an object besides its id: those of its scope, else the path's parameters. */
  readonly scopeColumns: readonly string[]
  /** Of a store that has added fields: what it has added, and the model as it was declared. */
  readonly added?: Added
  readonly declared?: Model
}

/** The model as one store has it, with the fields that it has added. */
export type OwnModel = <M extends Model>(of: M) => M

/** The name of an `added_fields` row, or the column of the scope that holds it. */
export type AddedUnder = string | { readonly column: string }

/** A field that a store has added, as its row of `added_fields` has it. */
export interface AddedField {
  readonly id: string
  readonly name: string
  /** Of its values, null among them where it may be that. */
  readonly schema: JsonSchema
  readonly about?: string
  readonly required?: boolean
  /** What a new object has in its place when it is not given; null, unless it is told. */
  readonly default?: unknown
  /** A default that breaks the schema. A request that would take it is refused; the server's own writes get null. */
  readonly unusableDefault?: unknown
  /** Of a string: a number or a boolean in a request is stored as text. */
  readonly takesScalars?: boolean
  /** Kept as it is, and neither shown nor taken from a request. */
  readonly hidden?: boolean
  /** What shoppers send for it is ignored, as for a field that the server sets. */
  readonly closedToShoppers?: boolean
  /** Left out of answers while it is null. */
  readonly omitNull?: boolean
  /** It is no value but the member `relationships`, of a resource that has none of its own. */
  readonly holdsLinks?: boolean
}

/** All that a store has added to a resource, in one state. */
export interface Added {
  readonly state: string
  readonly fields: readonly AddedField[]
}

/**
 * A value of an object's own, unique among its siblings, that stands in addresses in place of the id. The id leads
 * there too, unless the field is named `id`: then the value is all that clients know, and the row's id stays inside.
 */
export interface Key {
  readonly field: string
  /** The condition on the row that a name leads to, where it is not equality with the column named as the field. */
  readonly where?: (name: string, bind: (value: unknown) => string) => string
}

/** A broken constraint in a client's words. */
export interface Refusal {
  readonly code: 'conflict' | 'invalid_field' | 'unprocessable' | 'not_found'
  readonly detail: string
  /** In place of the code's own. */
  readonly title?: string
  readonly source?: string
}

/** What one object is called in refusals. */
export const nounOf = ({ noun }: Pick<Model, 'noun'>): string => noun[0].replaceAll('-', ' ')
