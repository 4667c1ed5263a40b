import { listing } from '../../kernel/declare/listing.ts'
import { walks } from '../../kernel/shape/model.ts'
import { hierarchies } from './hierarchies.ts'
import { hierarchyIn, nodeIn, nodes } from './nodes.ts'

/** The merchant orders siblings. */
const siblings = {
  order: {
    by: '-place',
    about: 'the highest sort_order first, then nodes without one, the most recently changed first',
  },
  sort: [],
} as const

/** The direct children of a hierarchy. */
export const childrenOfHierarchy = listing(nodes, {
  noun: ['hierarchy-child', 'hierarchy-children'],
  path: '/pcm/hierarchies/:hierarchy_id/children',
  parent: () => hierarchies,
  scope: { columns: ['parent_id'], of: (work, { hierarchy_id = '' }) => [hierarchyIn(work, hierarchy_id)] },
  ...siblings,
})

/** The direct children of a node. */
export const childrenOfNode = listing(nodes, {
  noun: ['node-child', 'node-children'],
  path: '/pcm/hierarchies/:hierarchy_id/nodes/:node_id/children',
  parent: () => nodes,
  scope: { columns: ['parent_id'], of: (_work, { node_id = '' }) => [nodeIn(node_id)] },
  ...siblings,
})

/** The nodes of all hierarchies. */
export const nodesOfStore = listing(nodes, {
  noun: ['node-of-any-hierarchy', 'nodes-of-all-hierarchies'],
  scope: { columns: ['nodes_of'] },
  filter: { has_children: { ops: ['eq'], type: 'boolean', column: 'has_children', indexed: true } },
})

const hierarchyIdSql = '(CASE WHEN parent_id IS NULL THEN id ELSE hierarchy_id END)'

/** The nodes of all hierarchies, and the hierarchies. */
export const nodesAndHierarchies = listing(nodes, {
  noun: ['node-or-hierarchy', 'nodes-and-hierarchies'],
  scope: { columns: ['all_of'] },
  filter: { hierarchy_id: { ops: walks.id, type: 'uuid', column: hierarchyIdSql } },
})
