import type { ProblemCode } from '../errors.ts'
import type { Fields, Values } from '../shape/fields.ts'
import type { ListQuery } from '../shape/list-query.ts'
import type { Added, Draft, Model, Row } from '../shape/model.ts'
import type { Ctx, Work } from '../work/context.ts'
import { mustBeConsistent } from './mistakes.ts'

export type OperationName = 'list' | 'create' | 'get' | 'update' | 'delete'

/** Members that are worked out for each answer: what they are, for the API document, and their values. */
export interface WorkedOut<M extends Fields, A extends readonly unknown[]> {
  readonly fields: M
  /** What is undefined is left out. */
  // A method, not a property: a list of resources holds resources of different fields.
  of(...args: A): Values<M>
}

/** What a module declares of a resource: its model, its address, who may call, and its rules. */
export interface Definition<
  F extends Fields,
  Meta extends Fields = Fields,
  Links extends Fields = Fields,
  ListMeta extends Fields = Fields,
  Also extends Fields = Fields,
> extends Omit<Model<F>, 'parent' | 'meta' | 'links' | 'also' | 'scopeColumns' | 'added' | 'declared'> {
  /** One or two sentences for the reader of the API document. */
  readonly about: string
  /** The collection's path. Its `:parameters` are columns of the table and lead to the parent. */
  readonly path: string
  /**
   * The resource above it, where the path has parameters: a caller finds an object only below a parent that they can
   * see. A function, since the parent may be declared later.
   */
  readonly parent?: () => Resource
  /** The row of the access table that says who may call. */
  readonly area: string
  readonly operations?: readonly OperationName[]
  /** How many there may be in a list. Objects that are made at the same time are counted one after the other. */
  readonly most?: Limit
  // Methods, not properties: a list of resources holds resources of different fields.
  /** Completes or refuses a write. The locks and writes of these four are in one transaction with it. */
  beforeWrite?(work: Work, draft: Draft<F>): Promise<void> | void
  afterWrite?(work: Work, row: Row<F>, before: Row<F> | undefined): Promise<void> | void
  beforeDelete?(work: Work, row: Row<F>): Promise<void> | void
  afterDelete?(work: Work, row: Row<F>): Promise<void> | void
  /**
   * Members of `meta` beyond the usual. Times among them (`format: 'date-time'`) have the envelope's digits, and are in
   * `meta.timestamps` where the envelope has that.
   */
  readonly meta?: WorkedOut<Meta, [row: Row<F>]>
  /** Members of `links` beyond `self`, or a `self` that is elsewhere. */
  readonly links?: WorkedOut<Links, [row: Row<F>, ctx: Ctx]>
  /** Members beside the fields that are computed for each answer, such as an address that begins with ours. */
  readonly also?: WorkedOut<Also, [row: Row<F>, ctx: Ctx]>
  /** Members of a list's `meta` beyond paging; those of `results` are beside the total. */
  readonly listMeta?: {
    readonly fields: ListMeta
    of(ctx: Ctx, ask: ListQuery, total: number): Promise<Values<ListMeta>> | Values<ListMeta>
  }
  /** What `include=` may name, and how to find it for the rows of an answer. */
  readonly include?: Readonly<Record<string, Finder<F>>>
  /** For the API document: what is then under `included`, by the names of its lists. */
  readonly includes?: () => Readonly<Record<string, Resource>>
  /** `included` is a list of what was found, and not an object of such lists. */
  readonly includedAs?: 'list'
  /**
   * An object exists from its first write on. Before that, any key reads as an object with the defaults of its
   * fields. A function may complete these, also with the fields of `shownWith`.
   */
  readonly unborn?: true | Completer<F>
  /**
   * Answers show values that are computed for each request, so they change without a write of the row. The entity tag
   * then has two parts: the version, for If-Match, and a hash of the answer.
   */
  readonly computed?: true
  readonly scope?: Scope
  /** For the API document: refusals by its rules that not every such operation has. */
  readonly refuses?: Readonly<Partial<Record<OperationName, readonly ProblemCode[]>>>
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

/** A declared resource. Without its fields as a parameter it is any of them, and its values are not known. */
export interface Resource<F extends Fields = Fields> extends Definition<F> {
  readonly scopeColumns: readonly string[]
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
