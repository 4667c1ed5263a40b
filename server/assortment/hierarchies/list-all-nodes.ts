import { action } from '../../kernel/declare/action.ts'
import type { Resource } from '../../kernel/declare/resource.ts'
import { shownSchema } from '../../kernel/declare/shown-schema.ts'
import { Problem } from '../../kernel/errors.ts'
import { objectText } from '../../kernel/http/object-text.ts'
import { objectOf } from '../../kernel/openapi/named-schemas.ts'
import { answerList } from '../../kernel/request/export-list.ts'
import { list } from '../../kernel/request/operations.ts'
import { flag } from '../../kernel/shape/fields.ts'
import { shown } from '../../kernel/shape/shown.ts'
import { hierarchies } from './hierarchies.ts'
import { nodesAndHierarchies, nodesOfStore } from './node-lists.ts'
import { nodes } from './nodes.ts'

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
