import { isDeepStrictEqual } from 'node:util'
import { type Resource, resource } from '../../kernel/declare/resource.ts'
import { notFound, Problem } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { choice, group, integer, list, reference, text } from '../../kernel/shape/fields.ts'
import type { Draft, Row } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import {
  breadcrumbsOf,
  type Crumb,
  crumbOf,
  mustNotBeTooDeep,
  renewBreadcrumbsBelow,
  sameCrumb,
} from './breadcrumbs.ts'
import { hierarchies } from './hierarchies.ts'
import { hierarchyEnvelope } from './hierarchy-envelope.ts'
import {
  changedAt,
  mustDifferFromChildren,
  mustDifferFromParent,
  mustKeepId,
  type NodeRelationships,
  nodeFields,
  nodeMeta,
  relatedList,
  relationshipsField,
  siblingConstraints,
} from './node-fields.ts'
import { nodeFilters } from './node-filters.ts'

export const sortOrder = integer({
  nullable: true,
  about: 'The position among the siblings: the highest first, nodes without a position last.',
})

/** A link to the parent: a node or, for a topmost node, the hierarchy. */
export const parentLink = group(
  { type: choice(['node', 'hierarchy'], {}), id: reference('node', { required: true }) },
  { nullable: true },
)

const fields = {
  ...nodeFields,
  curated_products: list(reference('product', {}), {
    nullable: true,
    maxItems: 20,
    about: 'The products that the node lists first, in this order.',
  }),
  sent_meta: group({ sort_order: sortOrder }, { stored: false, inputName: 'meta' }),
  sort_order: integer({ nullable: true, hidden: true, readOnly: true }),
  sent_relationships: group(
    { parent: group({ data: parentLink }, { nullable: true }) },
    {
      stored: false,
      inputName: 'relationships',
      about: 'The parent of a new node. By default the hierarchy.',
    },
  ),
  relationships: relationshipsField,
}
type NodeFields = typeof fields

export const nodes: Resource<NodeFields> = resource({
  type: 'node',
  noun: ['node', 'nodes'],
  about: 'A node of a hierarchy, with products and child nodes.',
  path: '/pcm/hierarchies/:hierarchy_id/nodes',
  parent: () => hierarchies,
  table: 'nodes',
  scope: {
    columns: ['hierarchy_id'],
    of: (work, { hierarchy_id = '' }) => [hierarchyIn(work, hierarchy_id)],
  },
  fields,
  filter: nodeFilters(),
  sort: ['created_at', 'id', 'updated_at'],
  area: 'hierarchies',
  envelope: hierarchyEnvelope,
  refusedWith: 422,
  meta: {
    fields: {
      ...nodeMeta,
      hierarchy_id: reference('hierarchy', { about: 'The hierarchy of the node.' }),
      parent_name: text({ about: 'The name of the parent.' }),
      sort_order: sortOrder,
    },
    of: ({ hidden: { breadcrumbs = [], sort_order } }) => ({
      owner: 'store',
      breadcrumbs,
      hierarchy_id: breadcrumbs[0]?.id,
      parent_name: breadcrumbs.at(-2)?.name,
      sort_order: sort_order ?? undefined,
    }),
  },
  beforeWrite: placeNode,
  afterWrite: updateDependents,
  beforeDelete: lockHierarchy,
  constraints: siblingConstraints,
})

/** Refuses the id of the store: hierarchies have it as their scope, but it is not a hierarchy. */
export function hierarchyIn({ store }: Work, name: string): string {
  const id = name.toLowerCase()
  if (!isId(name) || id === store.id) throw notFound('hierarchy', name)
  return id
}

export function nodeIn(name: string): string {
  if (!isId(name)) throw notFound('node', name)
  return name.toLowerCase()
}

/** A topmost node has no `parent`: clients would report a parent that their configuration lacks. */
export const relationshipsOf = (hierarchyId: string, id: string, parentId: string): NodeRelationships => ({
  children: relatedList(`/hierarchies/${hierarchyId}/nodes/${id}/children`),
  ...(parentId !== hierarchyId && { parent: { data: { type: 'node', id: parentId } } }),
  products: relatedList(`/hierarchies/${hierarchyId}/nodes/${id}/products`),
})

const parentOf = (relationships: NodeRelationships | undefined) => relationships?.parent?.data.id

/** Keeps others from adding, moving or deleting nodes of the hierarchy until the transaction ends. */
async function lockHierarchy(work: Work, { scope }: Pick<Draft<NodeFields>, 'scope'>): Promise<void> {
  const lockedIds = await work.store.lockExclusive(hierarchies, scope[0] as string)
  if (!lockedIds.size) throw notFound('hierarchy', scope[0])
}

async function placeNode(work: Work, draft: Draft<NodeFields>): Promise<void> {
  const { id, scope, values, before } = draft
  const [hierarchyId = ''] = scope
  mustKeepId(draft)
  const sortOrder = values.sent_meta?.sort_order
  if (sortOrder !== undefined) values.sort_order = sortOrder ?? undefined
  values.changed_at = changedAt(work, fields, draft)
  const moved = before !== undefined && parentOf(values.relationships) !== parentOf(before.doc.relationships)
  const renamed = before !== undefined && !sameCrumb(before.doc, values)
  // Lock the hierarchy before its nodes, as every change of a tree does, so there are no deadlocks.
  if (moved || renamed) await lockHierarchy(work, draft)
  if (!isDeepStrictEqual(values.curated_products ?? [], before?.doc.curated_products ?? [])) {
    await mustBeInNode(work, id, values.curated_products ?? [])
  }
  if (!before) {
    const parentId = values.sent_relationships?.parent?.data?.id ?? hierarchyId
    values.relationships = relationshipsOf(hierarchyId, id, parentId)
    // A shared lock lets other requests add nodes at the same time.
    const lockedIds = await work.store.lockShared(hierarchies, hierarchyId)
    if (!lockedIds.size) throw notFound('hierarchy', hierarchyId)
  } else if (!moved && !renamed) return
  const parentId = parentOf(values.relationships) ?? hierarchyId
  const above = await findBreadcrumbs(work, hierarchyId, parentId)
  mustDifferFromParent(values.name, above.at(-1))
  if (renamed) await mustDifferFromChildren(work, id, values.name)
  if (!before || moved) await mustFitBelow(work, draft, above)
  values.breadcrumbs = [...above, crumbOf(id, values)]
}

/** Returns the breadcrumbs of a hierarchy or of one of its nodes. */
async function findBreadcrumbs({ store }: Work, hierarchyId: string, id: string): Promise<readonly Crumb[]> {
  const row =
    id === hierarchyId
      ? await store.findWhole(hierarchies, id, [store.id])
      : await store.findWhole(nodes, id, [hierarchyId])
  if (row?.hidden.breadcrumbs) return row.hidden.breadcrumbs
  if (id === hierarchyId) throw notFound('hierarchy', id)
  throw notFound('node', id, { source: 'data.relationships.parent.data.id' })
}

/** Refuses a place below the node itself, and one where its descendants would be too deep. */
async function mustFitBelow(
  { store }: Work,
  { id, before }: Pick<Draft<NodeFields>, 'id' | 'before'>,
  above: readonly Crumb[],
): Promise<void> {
  const source = 'data.relationships.parent.data.id'
  if (above.some((step) => step.id === id)) {
    throw new Problem('unprocessable', 'A node cannot be moved below itself or its descendants.', { source })
  }
  const [deepest] = before
    ? await store.read(
        `SELECT max(json_array_length(r.hidden->'breadcrumbs')) FROM nodes r
         WHERE r.store_id = $1 AND ${breadcrumbsOf('r')} @> $2::jsonb`,
        JSON.stringify([{ id }]),
      )
    : []
  const below = deepest ? Number(deepest[0]) - (before?.hidden.breadcrumbs?.length ?? 0) : 0
  mustNotBeTooDeep(above.length + below, source)
}

async function updateDependents(work: Work, row: Row<NodeFields>, before: Row<NodeFields> | undefined) {
  const curated = row.doc.curated_products ?? []
  if (!isDeepStrictEqual(curated, before?.doc.curated_products ?? [])) await curate(work, row.id, curated)
  const { breadcrumbs = [] } = row.hidden
  if (!before || isDeepStrictEqual(breadcrumbs, before.hidden.breadcrumbs)) return
  await renewBreadcrumbsBelow(work, nodes, row.id, breadcrumbs)
}

/** Refuses duplicates and products that are not in the node. Keeps the others in it until the transaction ends. */
async function mustBeInNode({ store }: Work, id: string, products: readonly string[]): Promise<void> {
  const source = 'data.attributes.curated_products'
  if (new Set(products).size < products.length) {
    throw new Problem('unprocessable', 'Each curated product must be listed only once.', { source })
  }
  // The lock keeps others from removing products and from curating.
  await store.lock(nodes, id)
  if (!products.length) return
  const rows = await store.readAndLock(
    'SELECT id FROM node_products WHERE store_id = $1 AND node_id = $2 AND id = ANY($3::uuid[]) ORDER BY id',
    id,
    products,
  )
  const idsInNode = new Set(rows.map(([product]) => product))
  const missing = products.find((product) => !idsInNode.has(product))
  if (missing === undefined) return
  throw new Problem('unprocessable', `The node does not have this product: ${missing}`, { source })
}

/** Makes these the curated products of the node. */
async function curate({ store }: Work, id: string, products: readonly string[]): Promise<void> {
  await store.runLong(
    `UPDATE node_products p SET curated = array_position($3::uuid[], p.id)
     WHERE p.store_id = $1 AND p.node_id = $2 AND (p.curated IS NOT NULL OR p.id = ANY($3::uuid[]))`,
    id,
    products,
  )
}
