import { type Resource, resource } from '../kernel/declare/resource.ts'
import { hierarchies } from './hierarchies.ts'
import { hierarchyIn, type NodeFields, node, nodeIn, nodes } from './nodes.ts'

/** Siblings lie as they are put. */
const siblings = {
  by: '-place',
  about: 'the highest sort_order first, then nodes without one, the most recently changed first',
} as const

const indexedHere = { ops: ['eq'], type: 'boolean', column: 'has_children', indexed: true } as const

/** What is right below a hierarchy. */
export const childrenOfHierarchy: Resource<NodeFields> = resource({
  ...node,
  noun: ['hierarchy-child', 'hierarchy-children'],
  path: '/pcm/hierarchies/:hierarchy_id/children',
  parent: () => hierarchies,
  scope: { columns: ['parent_id'], of: (work, { hierarchy_id = '' }) => [hierarchyIn(work, hierarchy_id)] },
  order: siblings,
  operations: ['list'],
})

/** What is right below a node. */
export const childrenOfNode: Resource<NodeFields> = resource({
  ...node,
  noun: ['node-child', 'node-children'],
  path: '/pcm/hierarchies/:hierarchy_id/nodes/:node_id/children',
  parent: () => nodes,
  scope: { columns: ['parent_id'], of: (_work, { node_id = '' }) => [nodeIn(node_id)] },
  order: siblings,
  operations: ['list'],
})

const everywhere = {
  ...node,
  path: '/pcm/hierarchies/nodes',
  sort: ['created_at', 'id', 'updated_at'],
  operations: [],
} as const

/** The nodes of all hierarchies. */
export const nodesOfStore: Resource<NodeFields> = resource({
  ...everywhere,
  noun: ['node-of-any-hierarchy', 'nodes-of-all-hierarchies'],
  filter: { ...node.filter, has_children: indexedHere },
  scope: { columns: ['nodes_of'], of: ({ store }) => [store.id] },
})

const inside = '(CASE WHEN parent_id IS NULL THEN id ELSE hierarchy_id END)'

/** The same, with the hierarchies among them. */
export const nodesAndHierarchies: Resource<NodeFields> = resource({
  ...everywhere,
  noun: ['node-or-hierarchy', 'nodes-and-hierarchies'],
  filter: { ...node.filter, hierarchy_id: { ...node.filter.hierarchy_id, column: inside } },
  scope: { columns: ['all_of'], of: ({ store }) => [store.id] },
})
