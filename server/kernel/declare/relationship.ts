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

/** A link as bodies and answers write it. */
export interface Link {
  readonly type: string
  readonly id: string
  readonly meta?: Readonly<Record<string, unknown>>
}

export type LinkOperation = 'list' | 'add' | 'replace' | 'remove'

/** Links from the objects of one resource to those of another, which clients change by calls of their own. */
export interface Relationship {
  /** Ends the ids of its operations: `gadget-parts`. */
  readonly name: string
  /** One sentence for the reader of the API document. */
  readonly about: string
  /** Its address; the last parameter leads to the owner. */
  readonly path: string
  readonly owner: () => Resource
  readonly target: () => Resource
  /** The `type` of a link, where the public contract has another than the target's. */
  readonly type?: string
  readonly holds: 'one' | 'many'
  /**
   * Where links are kept. In the owner's document they are shown with it, as this member of `relationships`; a column
   * of the same name is generated from its `data` (jsonb, with a GIN index) and finds the owners of a target. In rows
   * of a table of their own there may be as many as wanted, a page at a time.
   */
  readonly storage: { readonly member: string } | { readonly table: string; readonly ownerColumn: string }
  /** How many links one owner may have, and what is said (422) to whoever wants more. */
  readonly most: { readonly n: number; readonly detail: (n: number) => string }
  /** What a link says beside its target, as its `meta`. */
  readonly meta?: Fields
  /** The row of the access table that says who may call. */
  readonly area: string
  /**
   * The owner's create takes links too, in `data.relationships`, under the last word of the path, and by the rules of
   * `add`.
   */
  readonly inCreate?: true
  /** What else changes with an owner's links, in one transaction with them. */
  afterEdit?(work: Work, ownerId: string, links: readonly Link[]): Promise<void>
  /** The operations there are, and the status that each is answered with: 204 says nothing, the others all links. */
  readonly operations: Readonly<Partial<Record<LinkOperation, 200 | 201 | 204>>>
}

/** Declares a relationship. */
export const relationship = (declared: Relationship): Relationship => declared

/** The JSON Schema of `data` in a body or an answer: one link, or a list of them. */
export const linksSchema = (of: Relationship): JsonSchema => linksField(of).schema

/** What a create takes of these relationships: `data.relationships`. */
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
  const link = { type: choice([type], needed), id: reference(type, needed) }
  const members = meta ? { ...link, meta: group(meta, {}) } : link
  return holds === 'many'
    ? listOf(group(members, {}), { maxItems: most.n, nullable: optional })
    : group(members, { nullable: true })
}

/** Whether its links are rows, and listed with `meta` and `links` as other lists are. */
export const listsRows = ({ storage, holds }: Relationship): boolean => 'table' in storage && holds === 'many'
