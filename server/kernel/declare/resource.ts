import type { ProblemCode } from '../errors.ts'
import type { Ask, Op } from '../query/parse.ts'
import type { Added, AddedField, AddedUnder } from '../shape/added-fields.ts'
import type { Envelope } from '../shape/envelope.ts'
import {
  type Changes,
  type Field,
  type FieldOptions,
  type Fields,
  field,
  type JsonSchema,
  type Values,
} from '../shape/fields.ts'
import type { Ctx, Principal, Work } from '../work/context.ts'
import { mustBeConsistent } from './mistakes.ts'

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

export type OperationName = 'list' | 'create' | 'get' | 'update' | 'delete'

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
export const orderInWords = ({ order = usual }: Ordered): string =>
  typeof order === 'string' ? orders[order] : order.about

/** The column of a table's own that its lists are in the order of, if there is one. */
export const ownOrderOf = ({ order }: Ordered): string | undefined =>
  typeof order === 'object' ? order.by.replace('-', '') : undefined

/** Members that are worked out for each answer: what they are, for the API document, and their values. */
export interface WorkedOut<M extends Fields, A extends readonly unknown[]> {
  readonly fields: M
  /** What is undefined is left out. */
  // A method, not a property: a list of resources holds resources of different fields.
  of(...args: A): Values<M>
}

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

export interface Definition<
  F extends Fields,
  Meta extends Fields = Fields,
  Links extends Fields = Fields,
  ListMeta extends Fields = Fields,
  Also extends Fields = Fields,
> {
  /**
   * The `type` of the object in JSON. Where a list mixes types, each object's own is in a field named `type`: a
   * `choice` of all there are, `required` and `immutable`. This one then names what they have in common.
   */
  readonly type: string
  /** Accepted in place of `type` in requests, where clients in the wild send another. */
  readonly alsoType?: readonly string[]
  /** `data.type` may be left out of requests. */
  readonly typeOptional?: boolean
  /** Singular and plural for operation ids: `gadget`, `gadgets`. */
  readonly noun: readonly [one: string, many: string]
  /** One or two sentences for the reader of the API document. */
  readonly about: string
  /** The collection's path. Its `:parameters` are columns of the table and lead to the parent. */
  readonly path: string
  readonly table: string
  /**
   * What its objects are below, where the path has parameters: what is there for a caller only if the parent is. As a
   * function, since it may be declared later.
   */
  readonly parent?: () => Resource
  readonly fields: F
  readonly filter?: {
    readonly [K in keyof F | 'id' | 'created_at' | 'updated_at' | (string & {})]?: readonly Op[] | FilterRule
  }
  readonly sort?: readonly string[]
  /** Its lists are in their own order whatever else is asked for, where clients ask for what they cannot have. */
  readonly ignoresSort?: true
  /** The order of a list where the request names none: the newest first, unless it is told. It needs an index. */
  readonly order?: Order | OwnOrder
  /**
   * Its lists have no counters: they are counted as they are listed. There are few rows in each: where they are made
   * here, `most` says how many. `track` is told as well.
   */
  readonly counted?: false
  /** The highest `page[offset]`, where the public contract has one: 400 beyond. Links further down are cursors. */
  readonly offsetMax?: number
  /**
   * The public contract does not page its lists: a request without page parameters is answered with all records, up to
   * `limits.wholeMax`.
   */
  readonly whole?: true
  /** The row of the access table that says who may call. */
  readonly area: string
  readonly envelope: Envelope
  readonly operations?: readonly OperationName[]
  /** A condition on the rows that this caller may see, where a shopper's token narrows them; `all`: it does not. */
  readonly visible?: 'all' | ((who: Principal, bind: (value: unknown) => string) => string | undefined)
  /**
   * Its objects hold personal data. These columns hold the ids of whom they are about: an object is erased with the
   * first, and the others are told of it. `track` is told as well, see docs/adding-a-resource.md.
   */
  readonly personal?: readonly [first: string, ...others: string[]]
  /** How many there may be in a list. Those that are made at the same time are counted one after the other. */
  readonly most?: Limit
  // Methods, not properties: a list of resources holds resources of different fields.
  /** Completes or refuses a write. What any of these locks or writes is in one transaction with it. */
  beforeWrite?(work: Work, draft: Draft<F>): Promise<void> | void
  afterWrite?(work: Work, row: Row<F>, before: Row<F> | undefined): Promise<void> | void
  beforeDelete?(work: Work, row: Row<F>): Promise<void> | void
  afterDelete?(work: Work, row: Row<F>): Promise<void> | void
  /**
   * Members of `meta` beyond the usual. Times among them (`format: 'date-time'`) have the envelope's digits, and where
   * it has `meta.timestamps` they are there.
   */
  readonly meta?: WorkedOut<Meta, [row: Row<F>]>
  /**
   * Fields that other rows say: what they are, for the API document, and the SQL of their text, as members of an object
   * (`"name":value`), or null. `row` stands before the names of its columns. Who changes those rows makes a new version
   * of it (`touchAll`), unless it is `computed`.
   */
  readonly shownWith?: { readonly fields: Fields; readonly sql: (row: string) => string }
  /**
   * The SQL of what is shown in place of the stored document, with `row` as above: another resource writes the rows,
   * and they are shown in another form here.
   */
  readonly shownAs?: (row: string) => string
  /** Members of `links` beyond `self`, or a `self` that is elsewhere. */
  readonly links?: WorkedOut<Links, [row: Row<F>, ctx: Ctx]>
  /** Members beside the fields that are worked out for each answer, such as an address that begins with ours. */
  readonly also?: WorkedOut<Also, [row: Row<F>, ctx: Ctx]>
  /** Members of a list's `meta` beyond paging; those of `results` are beside the total. */
  readonly listMeta?: {
    readonly fields: ListMeta
    of(ctx: Ctx, ask: Ask, total: number): Promise<Values<ListMeta>> | Values<ListMeta>
  }
  /** What `include=` may name, and how to find it for the rows of an answer. */
  readonly include?: Readonly<Record<string, Finder<F>>>
  /** For the API document: what is then under `included`, by the names of its lists. */
  readonly includes?: () => Readonly<Record<string, Resource>>
  /** `included` is a list of what was found, and not an object of such lists. */
  readonly includedAs?: 'list'
  /** What the client is told when a constraint of the table refuses a write; the rest are bugs. */
  readonly constraints?: Readonly<Record<string, Refusal>>
  /** What clients call an object in place of its id. */
  readonly key?: Key
  /**
   * An object exists from its first write on. Before it, any key reads as an object with its defaults, or with what a
   * function makes of these; it may add the fields of `shownWith`.
   */
  readonly unborn?: true | Completer<F>
  /**
   * Answers show what is computed when they are asked for, so that they change without a write of the row. The entity
   * tag names the version, for If-Match, and the state of the answer.
   */
  readonly computed?: true
  /** The columns that lead to its objects, where they are not the path's parameters. */
  readonly scope?: Scope
  /**
   * A row is true from one edition of its list on (`since`, a whole number) up to another (`until`). The edition that
   * is asked for is the last value of the scope. `edition_totals` knows how many rows each has; offsets have an
   * `offsetMax`.
   */
  readonly editions?: true
  /** The status of a refusal for what a field is, where the public contract has another than 400. */
  readonly refusedWith?: 422
  /** For the API document: refusals by its rules that not every such operation has. */
  readonly refuses?: Readonly<Partial<Record<OperationName, readonly ProblemCode[]>>>
  /** Attributes that are none are refused, where the public contract does so; elsewhere they are ignored. */
  readonly closed?: boolean
  /** Stores add fields of their own to it: their name in `added_fields`, or the scope's column that has it. */
  readonly addedUnder?: AddedUnder
  /** How a list may be filtered by added fields; not at all, where nothing is said. */
  readonly addedFilters?: (fields: readonly AddedField[]) => Readonly<Record<string, FilterRule>>
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

/** Rows of a table that others share. */
export interface Scope {
  readonly columns: readonly string[]
  /** Their values for a request; left out where no address leads to the list. */
  readonly of?: (
    work: Work,
    params: Readonly<Record<string, string>>,
  ) => Promise<readonly string[]> | readonly string[]
}

/** How many objects there may be, and what is said (422) to whoever wants one more. */
export interface Limit {
  readonly n: number | ((work: Work) => Promise<number>)
  readonly detail: (n: number) => string
}

type Completer<F extends Fields> = {
  complete(work: Work, defaults: Values<F>): Promise<Values<F>> | Values<F>
}['complete']

type Finder<F extends Fields> = { find(ctx: Ctx, rows: readonly Row<F>[]): Promise<Included> }['find']

/** Objects shown beside `data`, under the name of their list: `{ gadgets: [Resource, rows] }`. */
export type Included = readonly [name: string, of: Resource, rows: readonly Row[]]

/** A broken constraint in a client's words. */
export interface Refusal {
  readonly code: 'conflict' | 'invalid_field' | 'unprocessable' | 'not_found'
  readonly detail: string
  /** In place of the code's own. */
  readonly title?: string
  readonly source?: string
}

/** A declared resource. Without its fields as a parameter it is one of many, whose values are not known. */
export interface Resource<F extends Fields = Fields> extends Definition<F> {
  /** The columns that lead to an object besides its id: those of its scope, else the path's parameters. */
  readonly scopeColumns: readonly string[]
  /** As a store has it that has added fields: what it has added, and the resource as it was declared. */
  readonly added?: Added
  readonly declared?: Resource
}

/** Declares a resource: one kind of object, its fields, its lists and who may do what. */
export function resource<
  const F extends Fields,
  const Meta extends Fields,
  const Links extends Fields,
  const ListMeta extends Fields,
  const Also extends Fields,
>(
  // The fields say what they are; rules may be for any.
  definition: { readonly fields: F } & Definition<NoInfer<F>, Meta, Links, ListMeta, Also>,
): Resource<F> {
  const parameters = [...definition.path.matchAll(/:(\w+)/g)].map((match) => match[1] as string)
  mustBeConsistent(definition, parameters)
  return { ...definition, scopeColumns: definition.scope?.columns ?? parameters } as Resource<F>
}

/** What one object is called in refusals. */
export const nounOf = ({ noun }: Pick<Definition<Fields>, 'noun'>): string => noun[0].replaceAll('-', ' ')

/** A structured member that the server writes, such as `relationships`. */
export const shown = <T = unknown>(schema: JsonSchema, options: FieldOptions = {}): Field<T | undefined> =>
  field({ type: 'object', ...schema }, { ...options, readOnly: true })
