import { action } from '../../kernel/declare/action.ts'
import { listing } from '../../kernel/declare/listing.ts'
import type { Resource } from '../../kernel/declare/resource.ts'
import { shownSchema } from '../../kernel/declare/shown-schema.ts'
import { Problem } from '../../kernel/errors.ts'
import { objectText } from '../../kernel/http/object-text.ts'
import { objectOf } from '../../kernel/openapi/named-schemas.ts'
import { answerList } from '../../kernel/request/export-list.ts'
import { list } from '../../kernel/request/operations.ts'
import { flag } from '../../kernel/shape/fields.ts'
import { walks } from '../../kernel/shape/model.ts'
import { shown } from '../../kernel/shape/shown.ts'
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

export const nodesOfStore = listing(nodes, {
  noun: ['node-of-any-hierarchy', 'nodes-of-all-hierarchies'],
  scope: { columns: ['nodes_of'] },
  filter: { has_children: { ops: ['eq'], type: 'boolean', column: 'has_children', indexed: true } },
})

const hierarchyIdSql = '(CASE WHEN parent_id IS NULL THEN id ELSE hierarchy_id END)'

/** The nodes of all hierarchies, and the hierarchies. */
const nodesAndHierarchies = listing(nodes, {
  noun: ['node-or-hierarchy', 'nodes-and-hierarchies'],
  scope: { columns: ['all_of'] },
  filter: { hierarchy_id: { ops: walks.id, type: 'uuid', column: hierarchyIdSql } },
})

/** Lists the nodes of all hierarchies and, on request, the hierarchies. They are rows of the same table. */
export const listAllNodes = action({
  name: 'list-all-nodes',
  route: 'GET /pcm/hierarchies/nodes',
  about: 'Lists the nodes of all hierarchies, a page at a time, the newest first.',
  area: 'hierarchies',
  status: 200,
  query: { include_hierarchies: flag({ about: 'Whether the list includes hierarchies.' }) },
  shows: {
    resource: nodes,
    page: true,
    data: shown.as({ anyOf: [objectOf(() => nodes).schema, objectOf(() => hierarchies).schema] }),
    rows: [nodesOfStore, nodesAndHierarchies],
  },

  async run(ctx, call) {
    const scope = [ctx.store.id]
    if (!includesHierarchies(call.query)) return list(ctx, nodesOfStore, scope, call)
    return answerList(ctx, call, {
      source: { resource: nodesAndHierarchies, scope },
      show: (ctx, rows) =>
        rows.map((row) => {
          const isRoot = row.hidden.breadcrumbs?.length === 1
          return objectText(isRoot ? hierarchies : nodes, row, ctx, true)
        }),
      shown: shown.as({ anyOf: [nodes, hierarchies].map((one) => shownSchema(one as Resource)) }),
    })
  },
})

function includesHierarchies(query: string): boolean {
  const value = new URLSearchParams(query).get('include_hierarchies') ?? ''
  if (value === 'true') return true
  if (value === 'false' || value === '') return false
  throw new Problem('bad_request', 'include_hierarchies must be true or false.', {
    source: 'include_hierarchies',
  })
}
