import type { Principal } from '../auth/principal.ts'
import type { Envelope } from './envelope.ts'
import type { Changes, Fields, JsonSchema, Values } from './fields.ts'
import type { Op } from './list-query.ts'

/** What a filter compares. A request may compare an `integer` with any number, also with a fraction. */
export type ValueType = 'text' | 'uuid' | 'time' | 'number' | 'integer' | 'boolean'

/**
 * How a field may be filtered, if a list of operators is not enough. A rule may be for a member (`contact.email`), with
 * its own column or `where`, or for many members (`labels.*`, `sizes[]`).
 */
export interface FilterRule {
  /** `eq` implies `in`: see `operatorsOf`. */
  readonly ops: readonly Op[]
  readonly type?: ValueType
  /** The table's column, when it is not named as the field. */
  readonly column?: string
  /** Ignores case in `eq` and `in`. With the value `like`, only `like` ignores case. */
  readonly caseless?: boolean | 'like'
  /**
   * An index on the store, the scope and the compared value, with `created_at` and `id` behind them, answers `eq`, `in`
   * and a `like` with a fixed beginning.
   */
  readonly indexed?: true
  /** The index contains only the beginning of the text: see `longText`. */
  readonly long?: true
  /**
   * For a rule for many members: what may stand in place of the `*`, or inside the brackets. At most 255 characters.
   */
  readonly part?: RegExp
  /**
   * The SQL of a term that is more than a comparison of one column; `bind` returns the placeholder of a value. `part`
   * comes from the client, so bind it too. `alone` says that the query has no other condition on the table.
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

/** The filters that a walk over a list uses: from one id, or one time, to the next. */
export const walks = {
  id: comparisons,
  created_at: comparisons,
  updated_at: comparisons,
} as const satisfies Record<string, readonly Op[]>

/** The operators of a filter: `in` wherever `eq` is declared, as clients expect. */
export function operatorsOf(rule: readonly Op[] | FilterRule): readonly Op[] {
  const ops = Array.isArray(rule) ? (rule as readonly Op[]) : (rule as FilterRule).ops
  if (!ops.includes('eq') || ops.includes('in')) return ops
  return ops.flatMap((op) => (op === 'eq' ? ['eq', 'in'] : op))
}

/**
 * Whether its lists have a watermark: clients can filter them by the time at which each of their rows was written.
 * Published rows have the times of their sources, and the rows of a query may appear without a write.
 */
export const hasWatermark = ({
  editions,
  table,
  filter,
}: Pick<Model, 'editions' | 'table' | 'filter'>): boolean =>
  !editions && /^\w+$/.test(table) && filter?.updated_at === comparisons

/** A filter whose operators an index answers: see `FilterRule`. */
export const indexed = (...ops: readonly Op[]): FilterRule => ({ ops, indexed: true })

/** The default orders of a list, as `sort` writes them and in words. */
const orders = {
  created_at: 'the oldest first',
  '-created_at': 'the newest first',
  updated_at: 'the least recently changed first',
  '-updated_at': 'the most recently changed first',
} as const

type Order = keyof typeof orders

/** An order by a column of the table that is never null. */
interface OwnOrder {
  /** The column, as `sort` would write it: `-place`. */
  readonly by: string
  /** In words, like those of `orders`. */
  readonly about: string
}

interface HasOrder {
  readonly order?: Order | OwnOrder
}

const usual: Order = '-created_at'

/** The order of a resource's lists if a request names none, as `sort` writes it. */
export const orderOf = ({ order = usual }: HasOrder): string => (typeof order === 'string' ? order : order.by)

/** The same in words. */
export const describeOrder = ({ order = usual }: HasOrder): string =>
  typeof order === 'string' ? orders[order] : order.about

/** The column of the table's own order, if it has one. */
export const ownOrderOf = ({ order }: HasOrder): string | undefined =>
  typeof order === 'object' ? order.by.replace('-', '') : undefined

/** A stored object. `text` is the JSON that responses show; it is parsed on the first use of `doc`. */
export interface Row<F extends Fields = Fields> {
  readonly id: string
  /** Counts the writes; the entity tag contains it. */
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
  readonly text: string
  /** This request has just written the row. The feed records that, so it does not count as a read. */
  readonly written: boolean
  /** The values of the path's parameters above this object, outermost first. */
  readonly scope: readonly string[]
  /** The value of the column that orders the list, if the table has an order of its own. */
  readonly place?: string | undefined
  /** The shown values. */
  readonly doc: Values<F>
  /** The hidden values. Only a row that is read for an update has them. */
  readonly hidden: Partial<Values<F>>
  /** The fields that the store had added when the row was read. */
  readonly added?: AddedFields | undefined
}

/** A row that was read with all of its hidden values, and with what the object holds: see `Model.inside`. */
export type Whole<F extends Fields, C> = Row<F> & { readonly hidden: Values<F>; readonly inside: C }

/** The values that a write is about to store. A rule may complete them, or refuse them by throwing a Problem. */
export interface Draft<F extends Fields = Fields, C = unknown> {
  readonly id: string
  readonly scope: readonly string[]
  /** Shown and hidden values together. */
  values: Values<F>
  /** When a new object was created, if that was before this write: an ISO timestamp. */
  createdAt?: string | undefined
  /** What a thing holds after the write. A rule works it out where the write says nothing of it. */
  inside?: C | undefined
  /** The row as it was, on update. */
  readonly before?: Whole<F, C>
  /** The changes of the update, for public contracts in which a missing member has a meaning. */
  readonly changes?: Changes<F>
}

/** The data half of a resource: its rows, and how they are stored and listed. Its rules are in `Resource`. */
export interface Model<F extends Fields = Fields, C = unknown> {
  /**
   * The `type` of the object in JSON. If a list mixes types, each object has its own in a field named `type`: a
   * `choice` of all of them, `required` and `immutable`. This one is then the name they share.
   */
  readonly type: string
  /** Other values that requests may have in `type`, because some clients send them. */
  readonly alsoType?: readonly string[]
  /** Requests may leave out `data.type`. */
  readonly typeOptional?: boolean
  /** Singular and plural, for operation ids: `gadget`, `gadgets`. */
  readonly noun: readonly [one: string, many: string]
  readonly table: string
  /** The parent resource, if the path has parameters. It is a function because the parent may be declared later. */
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
   * `false`: its lists have no counters. Their few rows are counted with each list; if clients create them, `most`
   * limits them. The call of `track` must say the same.
   */
  readonly counted?: false
  /**
   * The highest `page[offset]`, if the public contract has one: the server refuses more with 400. Links beyond it use
   * cursors.
   */
  readonly offsetMax?: number
  /**
   * The public contract does not page its lists: a request without page parameters gets all rows, up to
   * `limits.wholeMax`.
   */
  readonly whole?: true
  readonly envelope: Envelope
  /** A condition on the rows that a shopper sees; `all`: every row. */
  readonly visible?: 'all' | ((who: Principal, bind: (value: unknown) => string) => string | undefined)
  /**
   * Its objects hold personal data. These columns hold the ids of the people they are about: an object is erased with
   * the first, and is an entry of the others too. The call of `track` must say the same; see docs/kernel-options.md.
   */
  readonly personal?: readonly [first: string, ...others: string[]]
  /**
   * Fields whose values are in other rows: their schemas, for the API document, and the SQL of their text as members of
   * an object (`"name":value`), or null. `row` is the prefix of this row's columns. A write of those rows makes a new
   * version of this one (`touchAll`), unless the resource is `computed`.
   */
  readonly shownWith?: { readonly fields: Fields; readonly sql: (row: string) => string }
  /**
   * The SQL of a document that responses show in place of the stored one, with `row` as above. Another resource writes
   * the rows, and this one shows them in another form.
   */
  readonly shownAs?: (row: string) => string
  /**
   * The hidden values that responses show something of. Lists read no others: these may be large, and a page has a
   * hundred. Default: all of them.
   */
  readonly shownHidden?: readonly string[]
  /**
   * Its objects are things: each holds more than its values, in the column `inside`, which changes as a whole and only
   * with the row. `shows` returns the hidden values that responses, lists, the feed and events have of it.
   */
  readonly inside?: InsideRule<C>
  /** Members that are computed for responses, also from hidden values: see `ResourceDeclaration`. */
  readonly meta?: object
  readonly links?: object
  readonly also?: object
  /** What a client reads when a constraint of the table refuses a write. Any other broken constraint is a bug. */
  readonly constraints?: Readonly<Record<string, ConstraintRefusal>>
  /** What clients call an object in place of its id. */
  readonly key?: NameKey
  /**
   * The column of the instant, in UTC and without a time zone, after which a row is gone: its key no longer leads to
   * it, and a new object may have the key. `forgetExpired` makes the chore that deletes such rows. It needs a `key`.
   */
  readonly expires?: string
  /**
   * A row is valid from one edition of its list (`since`, a whole number) until another (`until`). The last value of
   * the scope is the edition of the request. `edition_totals` has the number of rows of each edition; offsets need an
   * `offsetMax`.
   */
  readonly editions?: true
  /** The status of a refusal for the type or range of a field, if the public contract uses another than 400. */
  readonly refusedWith?: 422
  /** Unknown attributes are refused, because the public contract does so; elsewhere they are ignored. */
  readonly closed?: boolean
  /** Stores may add fields to it. Their name in `added_fields`, or the column of the scope that contains the name. */
  readonly addedUnder?: AddedUnder
  /** The columns that locate an object besides its id: those of its scope, else the path's parameters. */
  readonly scopeColumns: readonly string[]
  /** If the store has added fields: these fields, and the model as it was declared. */
  readonly added?: AddedFields
  readonly declared?: Model
}

/** What a thing holds, and what of it is among its hidden values. */
interface InsideRule<C> {
  // A method, not a property: a list of models holds models of different things.
  shows(inside: C): object
}

/** Returns the model with the fields that one store has added. */
export type OwnModel = <M extends Model>(of: M) => M

/** The name of an `added_fields` row, or the column of the scope that holds it. */
export type AddedUnder = string | { readonly column: string }

/** A field that a store has added, as `added_fields` stores it. */
export interface AddedField {
  readonly id: string
  readonly name: string
  /** The schema of its values, including null if they may be null. */
  readonly schema: JsonSchema
  readonly about?: string
  readonly required?: boolean
  /** The value in a new object if the request does not contain one; null by default. */
  readonly default?: unknown
  /** A default that breaks the schema. A request that would use it is refused; the server's own writes store null. */
  readonly unusableDefault?: unknown
  /** For a string: a number or a boolean in a request is stored as text. */
  readonly takesScalars?: boolean
  /** Stored, but neither shown nor accepted in a request. */
  readonly hidden?: boolean
  /** The server ignores what shoppers send for it, as for a read-only field. */
  readonly closedToShoppers?: boolean
  /** Left out of answers while it is null. */
  readonly omitNull?: boolean
  /** It stands for the member `relationships` of a resource that has none of its own, and has no value. */
  readonly holdsLinks?: boolean
}

/** All fields that a store has added to a resource, in one state. */
export interface AddedFields {
  readonly state: string
  readonly fields: readonly AddedField[]
}

/**
 * A value that names the object in paths in place of its id, unique among its siblings. The id works there too, unless
 * the field is named `id`: then clients only know the value, and the row's id stays internal.
 */
interface NameKey {
  readonly field: string
  /** The condition that finds the row of a name, if it is not equality with the column of the field. */
  readonly where?: (name: string, bind: (value: unknown) => string) => string
}

/** The refusal for a broken constraint, in the client's words. */
export interface ConstraintRefusal {
  readonly code: 'conflict' | 'invalid_field' | 'unprocessable' | 'not_found'
  readonly detail: string
  /** In place of the code's own. */
  readonly title?: string
  readonly source?: string
}

/** The id of an object as its responses show it: clients choose that of some themselves. */
export const shownIdOf = ({ key }: Pick<Model, 'key'>, row: Row): string =>
  key?.field === 'id' ? String(row.doc.id) : row.id

/** The noun for one object in error messages. */
export const nounOf = ({ noun }: Pick<Model, 'noun'>): string => noun[0].replaceAll('-', ' ')
