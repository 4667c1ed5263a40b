import { type Resource, resource } from '../kernel/declare/resource.ts'
import { hierarchies } from './hierarchies.ts'
import { hierarchyIn, type NodeFields, node, nodeIn, nodes } from './nodes.ts'

/** The merchant orders siblings. */
const siblingOrder = {
  by: '-place',
  about: 'the highest sort_order first, then nodes without one, the most recently changed first',
} as const

const indexedHere = { ops: ['eq'], type: 'boolean', column: 'has_children', indexed: true } as const

/** The direct children of a hierarchy. */
export const childrenOfHierarchy: Resource<NodeFields> = resource({
  ...node,
  noun: ['hierarchy-child', 'hierarchy-children'],
  path: '/pcm/hierarchies/:hierarchy_id/children',
  parent: () => hierarchies,
  scope: { columns: ['parent_id'], of: (work, { hierarchy_id = '' }) => [hierarchyIn(work, hierarchy_id)] },
  order: siblingOrder,
  operations: ['list'],
})

/** The direct children of a node. */
export const childrenOfNode: Resource<NodeFields> = resource({
  ...node,
  noun: ['node-child', 'node-children'],
  path: '/pcm/hierarchies/:hierarchy_id/nodes/:node_id/children',
  parent: () => nodes,
  scope: { columns: ['parent_id'], of: (_work, { node_id = '' }) => [nodeIn(node_id)] },
  order: siblingOrder,
  operations: ['list'],
})

const storeWide = {
  ...node,
  path: '/pcm/hierarchies/nodes',
  sort: ['created_at', 'id', 'updated_at'],
  operations: [],
} as const

/** The nodes of all hierarchies. */
export const nodesOfStore: Resource<NodeFields> = resource({
  ...storeWide,
  noun: ['node-of-any-hierarchy', 'nodes-of-all-hierarchies'],
  filter: { ...node.filter, has_children: indexedHere },
  scope: { columns: ['nodes_of'], of: ({ store }) => [store.id] },
})

const hierarchyIdSql = '(CASE WHEN parent_id IS NULL THEN id ELSE hierarchy_id END)'

/** The nodes of all hierarchies, and the hierarchies. */
export const nodesAndHierarchies: Resource<NodeFields> = resource({
  ...storeWide,
  noun: ['node-or-hierarchy', 'nodes-and-hierarchies'],
  filter: { ...node.filter, hierarchy_id: { ...node.filter.hierarchy_id, column: hierarchyIdSql } },
  scope: { columns: ['all_of'], of: ({ store }) => [store.id] },
})
