import { action } from '../../kernel/declare/action.ts'
import type { Resource } from '../../kernel/declare/resource.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { findById, findByName, scopeOf } from '../../kernel/query/find.ts'
import type { Answer } from '../../kernel/shape/answer.ts'
import { choice, type Fields, group, list, reference } from '../../kernel/shape/fields.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { hierarchies } from './hierarchies.ts'
import { moveNodes } from './move-node.ts'
import { nodes, sortOrder } from './nodes.ts'

const child = group(
  {
    type: choice(['node'], { required: true }),
    id: reference('node', { required: true }),
    meta: group({ sort_order: sortOrder }, {}),
  },
  {},
)
type Child = NonNullable<(typeof child)['value']>

const children = list(child, { maxItems: 1000, about: 'Nodes of the same hierarchy.' })

const shared = { area: 'hierarchies', status: 200, data: children } as const

/** Moves nodes below a hierarchy or a node, in an order, and answers with that object. */
async function moveBelow<F extends Fields>(
  ctx: Ctx,
  above: Resource<F>,
  { params, data }: { readonly params: Readonly<Record<string, string>>; readonly data: unknown },
): Promise<Answer> {
  const scope = await scopeOf(ctx, above, params)
  const { id } = await findByName(ctx, above, params.id ?? '', scope)
  const moves = (data as readonly Child[]).map(({ id: node, meta }, i) => {
    return { id: node, parentId: id, sortOrder: meta?.sort_order, source: `data.${i}.id` }
  })
  // The scope of a hierarchy is the store, so its own id is used.
  const hierarchyId = params.hierarchy_id ? (scope[0] as string) : id
  await moveNodes(ctx, hierarchyId, moves)
  return objectAnswer(200, above, await findById(ctx, above, id, scope), ctx)
}

/** Moves nodes to the top level of their hierarchy, in an order. */
export const addHierarchyChildren = action({
  ...shared,
  name: 'add-hierarchy-children',
  route: 'POST /pcm/hierarchies/:id/relationships/children',
  about: 'Moves nodes of the hierarchy to its top level, or sets the order of the nodes there.',
  shows: { resource: hierarchies },
  run: (ctx, call) => moveBelow(ctx, hierarchies, call),
})

/** Moves nodes below another node, in an order. */
export const addNodeChildren = action({
  ...shared,
  name: 'add-node-children',
  route: 'POST /pcm/hierarchies/:hierarchy_id/nodes/:id/relationships/children',
  about: 'Moves nodes of the hierarchy below this node, or sets the order of its children.',
  shows: { resource: nodes },
  run: (ctx, call) => moveBelow(ctx, nodes, call),
})
