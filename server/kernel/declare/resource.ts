import type { ProblemCode } from '../errors.ts'
import type { Fields, ShownValues, Values } from '../shape/fields.ts'
import type { ListQuery } from '../shape/list-query.ts'
import type { AddedFields, Draft, Model, Row, Whole } from '../shape/model.ts'
import type { ListedRow } from '../storage/listed-rows.ts'
import type { Ctx, Work } from '../work/context.ts'
import { mustBeConsistent } from './mistakes.ts'

export type OperationName = 'list' | 'create' | 'get' | 'update' | 'delete'

/**
 * Members that are computed for each response: their fields, for the API document, and the function that computes
 * them.
 */
interface ComputedMembers<M extends Fields, A extends readonly unknown[]> {
  readonly fields: M
  /** Undefined values are left out. */
  // A method, not a property: a list of resources holds resources of different fields.
  of(...args: A): ShownValues<M>
}

/** What a module declares of a resource: its model, its address, who may call, and its rules. */
export interface ResourceDeclaration<
  F extends Fields,
  Meta extends Fields = Fields,
  Links extends Fields = Fields,
  ListMeta extends Fields = Fields,
  Also extends Fields = Fields,
  C = unknown,
> extends Omit<Model<F, C>, 'parent' | 'meta' | 'links' | 'also' | 'scopeColumns' | 'added' | 'declared'> {
  /** One or two sentences for the reader of the API document. */
  readonly about: string
  /** The collection's path. Its `:parameters` are columns of the table and lead to the parent. */
  readonly path: string
  /**
   * The parent resource, if the path has parameters. A caller finds an object only below a parent that they can see. It
   * is a function because the parent may be declared later.
   */
  readonly parent?: () => Resource
  /** The row of the access table that says who may call. */
  readonly area: string
  readonly operations?: readonly OperationName[]
  /** How many objects one list may have. The server creates objects of one list one at a time to count them exactly. */
  readonly most?: Limit
  // Methods, not properties: a list of resources holds resources of different fields.
  /** Completes or refuses a write. All four rules share one transaction with the write. */
  beforeWrite?(work: Work, draft: Draft<F, C>): Promise<void> | void
  afterWrite?(work: Work, row: Whole<F, C>, before: Whole<F, C> | undefined): Promise<void> | void
  beforeDelete?(work: Work, row: Row<F>): Promise<void> | void
  afterDelete?(work: Work, row: Row<F>): Promise<void> | void
  /**
   * Further members of `meta`. Times among them (`format: 'date-time'`) use the envelope's digits, and are in
   * `meta.timestamps` if the envelope has that.
   */
  readonly meta?: ComputedMembers<Meta, [row: Row<F>]>
  /** Further members of `links`, or a `self` at another path. */
  readonly links?: ComputedMembers<Links, [row: Row<F>, ctx: Ctx]>
  /** Members beside the fields that are computed for each response, such as a URL that begins with this server's. */
  readonly also?: ComputedMembers<Also, [row: Row<F>, ctx: Ctx]>
  /** Further members of a list's `meta`; those of `results` are beside the total. */
  readonly listMeta?: {
    readonly fields: ListMeta
    of(ctx: Ctx, query: ListQuery, total: number): Promise<Values<ListMeta>> | Values<ListMeta>
  }
  /** The related objects that requests may include, by the names that `include=` accepts. */
  readonly include?: Readonly<Record<string, Inclusion<F>>>
  /**
   * An object exists from its first write on. Before that, any key reads as an object with the defaults of its
   * fields. A function may complete these, also with the fields of `shownWith`.
   */
  readonly unborn?: true | Completer<F>
  /**
   * Its objects are changed as a whole (`changeThing`): an update locks the object before the rules run, as these may
   * move what others hold, too. Those that are `unborn` are things.
   */
  readonly thing?: true
  /**
   * Answers show values that are computed for each request, so they change without a write of the row. The entity tag
   * then has two parts: the version, for If-Match, and a hash of the answer.
   */
  readonly computed?: true
  readonly scope?: SharedTable
  /** For the API document: refusals by the resource's rules, by operation. */
  readonly refuses?: Readonly<Partial<Record<OperationName, readonly ProblemCode[]>>>
}

/** For resources whose rows share a table with others. */
interface SharedTable {
  readonly columns: readonly string[]
  /** The values of the columns for a request. Left out if no path leads to the list. */
  readonly of?: (
    work: Work,
    params: Readonly<Record<string, string>>,
  ) => Promise<readonly string[]> | readonly string[]
}

/** How many objects there may be, and the detail of the 422 for one more. */
export interface Limit {
  readonly n: number | ((work: Work) => Promise<number>)
  readonly detail: (n: number) => string
}

type Completer<F extends Fields> = {
  complete(work: Work, defaults: Values<F>): Promise<Values<F>> | Values<F>
}['complete']

/** Related objects that responses show beside `data`, under `included`. */
export interface Inclusion<F extends Fields = Fields> {
  readonly target: () => Resource
  /** The member of `included` that lists them. An only inclusion may do without: `included` is then the list itself. */
  readonly under?: string
  /** Finds the objects for some rows of a response at once: with `findListed`, as they may be long together. */
  find(ctx: Ctx, rows: readonly Row<F>[]): Promise<readonly ListedRow[]>
}

/** A declared resource. Without a type parameter it is any resource, and its values have no known types. */
export interface Resource<F extends Fields = Fields, C = unknown>
  extends ResourceDeclaration<F, Fields, Fields, Fields, Fields, C> {
  readonly scopeColumns: readonly string[]
  readonly added?: AddedFields
  readonly declared?: Resource
}

/** Declares a resource: one kind of object, its fields, its lists and who may do what. */
export function resource<
  const F extends Fields,
  const Meta extends Fields,
  const Links extends Fields,
  const ListMeta extends Fields,
  const Also extends Fields,
  C = unknown,
>(
  // `NoInfer`: the types of the fields come from `fields` alone, not from the rules.
  definition: { readonly fields: F } & ResourceDeclaration<NoInfer<F>, Meta, Links, ListMeta, Also, C>,
): Resource<F, C> {
  const parameters = [...definition.path.matchAll(/:(\w+)/g)].map((match) => match[1] as string)
  mustBeConsistent(definition, parameters)
  return { ...definition, scopeColumns: definition.scope?.columns ?? parameters } as Resource<F, C>
}
