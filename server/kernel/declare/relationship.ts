import {
  choice,
  type Field,
  type Fields,
  group,
  type JsonSchema,
  list as listOf,
  reference,
} from '../shape/fields.ts'
import type { Work } from '../work/context.ts'
import type { Resource } from './resource.ts'

/** A link in a body or a response. */
export interface Link {
  readonly type: string
  readonly id: string
  readonly meta?: Readonly<Record<string, unknown>>
}

export type LinkOperation = 'list' | 'add' | 'replace' | 'remove'

/** Links from the objects of one resource to those of another. Clients change them with operations of their own. */
export interface Relationship {
  /** The end of its operation ids: `gadget-parts`. */
  readonly name: string
  /** One sentence for the reader of the API document. */
  readonly about: string
  /** Its path; the last parameter names the owner. */
  readonly path: string
  readonly owner: () => Resource
  readonly target: () => Resource
  /** The `type` of a link, if the public contract uses another than the target's. */
  readonly type?: string
  readonly holds: 'one' | 'many'
  /**
   * Where links are stored. `member`: in the owner's document, under this member of `relationships`. A generated column
   * of the same name holds its `data` (jsonb, with a GIN index), which finds the owners of a target. `table`: one row
   * per link in a table of its own, for lists that need paging.
   */
  readonly storage: { readonly member: string } | { readonly table: string; readonly ownerColumn: string }
  /** How many links one owner may have, and the detail of the 422 for more. */
  readonly most: { readonly n: number; readonly detail: (n: number) => string }
  /** The fields of a link's `meta`. */
  readonly meta?: Fields
  /** The row of the access table that says who may call. */
  readonly area: string
  /**
   * Lets the owner's create set links in `data.relationships`, under the last word of the path. The rules of `add`
   * apply.
   */
  readonly inCreate?: true
  /** Changes whatever else depends on an owner's links, in the same transaction. */
  afterEdit?(work: Work, ownerId: string, links: readonly Link[]): Promise<void>
  /** The operations, each with its success status. A 204 has no body; the others respond with all links. */
  readonly operations: Readonly<Partial<Record<LinkOperation, 200 | 201 | 204>>>
}

/** Declares a relationship. */
export const relationship = (declared: Relationship): Relationship => declared

/** The JSON Schema of `data` in a body or a response: one link, or a list of them. */
export const linksSchema = (of: Relationship): JsonSchema => linksField(of).schema

/** The field for `data.relationships` in the body of a create. */
export const newLinksField = (relationships: readonly Relationship[]): Field<NewLinks | null | undefined> =>
  group(
    Object.fromEntries(
      relationships.map((of) => [memberOf(of), group({ data: linksField(of, true) }, { nullable: true })]),
    ),
    { nullable: true, about: 'The links that the new object starts with.' },
  ) as Field<NewLinks | null | undefined>

export type NewLinks = Readonly<Record<string, { readonly data?: LinksData } | null | undefined>>
export type LinksData = Link | readonly Link[] | null

export const memberOf = ({ path }: Relationship): string => path.slice(path.lastIndexOf('/') + 1)

export const linkTypeOf = ({ type, target }: Relationship): string => type ?? target().type

export function linksField(of: Relationship, optional = false): Field {
  const { holds, most, meta } = of
  const needed = { required: true } as const
  const type = linkTypeOf(of)
  const link = { type: choice([type], needed), id: reference(of.target().type, needed) }
  const members = meta ? { ...link, meta: group(meta, {}) } : link
  return holds === 'many'
    ? listOf(group(members, {}), { maxItems: most.n, nullable: optional })
    : group(members, { nullable: true })
}

/** Whether the links are rows, and their list has `meta` and `links` as other lists have. */
export const listsRows = ({ storage, holds }: Relationship): boolean => 'table' in storage && holds === 'many'
