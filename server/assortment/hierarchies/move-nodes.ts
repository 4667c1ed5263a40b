import { action } from '../../kernel/declare/action.ts'
import type { Resource } from '../../kernel/declare/resource.ts'
import { notFound, Problem } from '../../kernel/errors.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { findById, findByName, scopeOf } from '../../kernel/query/find.ts'
import { type Answer, noContent } from '../../kernel/shape/answer.ts'
import { choice, type Fields, group, list, reference } from '../../kernel/shape/fields.ts'
import type { Ctx, Work } from '../../kernel/work/context.ts'
import { change } from '../../kernel/write/by-rules.ts'
import { hierarchies } from './hierarchies.ts'
import { nodes, parentLink, relationshipsOf, sortOrder } from './nodes.ts'

/** The new parent of a node: another node, or its hierarchy. Without `sortOrder`, the node keeps its position. */
interface Move {
  readonly id: string
  readonly parentId: string
  readonly sortOrder?: number | null | undefined
  /** The member of the request that holds this move. */
  readonly source: string
}

/** Moves nodes within their hierarchy, one after another. Needs a transaction. */
async function moveNodes(work: Work, hierarchyId: string, moves: readonly Move[]): Promise<void> {
  await work.store.lockExclusive(hierarchies, hierarchyId)
  for (const move of moves) await moveNode(work, hierarchyId, move)
}

async function moveNode(work: Work, hierarchyId: string, { id, parentId, sortOrder, source }: Move) {
  if (id === parentId) {
    throw new Problem('unprocessable', 'A node cannot be its own parent.', { source })
  }
  if (!(await work.store.find(nodes, id, [hierarchyId]))) {
    throw notFound('node', id, { source })
  }
  try {
    await change(work, nodes, [hierarchyId], id, {
      relationships: relationshipsOf(hierarchyId, id, parentId),
      ...(sortOrder !== undefined && { sent_meta: { sort_order: sortOrder } }),
    })
  } catch (error) {
    if (!(error instanceof Problem) || !error.source?.startsWith('data.')) throw error
    // The path in the error is one of a node, which this request does not have. Point at the move instead.
    throw new Problem(error.code, error.detail, { source, cause: error })
  }
}

const parentRoute = '/pcm/hierarchies/:hierarchy_id/nodes/:id/relationships/parent'

export const updateNodeParent = action({
  name: 'update-node-parent',
  route: `PUT ${parentRoute}`,
  about: 'Moves a node and its descendants below another node of the same hierarchy, or to the top level.',
  area: 'hierarchies',
  status: 204,
  data: parentLink,

  async run(ctx, { params, data }) {
    const scope = await scopeOf(ctx, nodes, params)
    const { id } = await findByName(ctx, nodes, params.id, scope)
    const [hierarchyId = ''] = scope
    const parentId = (data as { readonly id: string } | null)?.id ?? hierarchyId
    await moveNodes(ctx, hierarchyId, [{ id, parentId, source: 'data.id' }])
    return noContent
  },
})

export const deleteNodeParent = action({
  name: 'delete-node-parent',
  route: `DELETE ${parentRoute}`,
  about: 'Moves a node and its descendants to the top level of its hierarchy.',
  area: 'hierarchies',
  status: 204,

  async run(ctx, { params }) {
    const scope = await scopeOf(ctx, nodes, params)
    const { id } = await findByName(ctx, nodes, params.id, scope)
    const [hierarchyId = ''] = scope
    await moveNodes(ctx, hierarchyId, [{ id, parentId: hierarchyId, source: 'id' }])
    return noContent
  },
})

const child = group(
  {
    type: choice(['node'], { required: true }),
    id: reference('node', { required: true }),
    meta: group({ sort_order: sortOrder }, {}),
  },
  {},
)
type MovedNode = NonNullable<(typeof child)['value']>

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
  const moves = (data as readonly MovedNode[]).map(({ id: node, meta }, i) => {
    return { id: node, parentId: id, sortOrder: meta?.sort_order, source: `data.${i}.id` }
  })
  // The scope of a hierarchy is the store, so its own id is used.
  const hierarchyId = params.hierarchy_id ? (scope[0] as string) : id
  await moveNodes(ctx, hierarchyId, moves)
  return objectAnswer(200, above, await findById(ctx, above, id, scope), ctx)
}

export const addHierarchyChildren = action({
  ...shared,
  name: 'add-hierarchy-children',
  route: 'POST /pcm/hierarchies/:id/relationships/children',
  about: 'Moves nodes of the hierarchy to its top level, or sets the order of the nodes there.',
  shows: { resource: hierarchies },
  run: (ctx, call) => moveBelow(ctx, hierarchies, call),
})

export const addNodeChildren = action({
  ...shared,
  name: 'add-node-children',
  route: 'POST /pcm/hierarchies/:hierarchy_id/nodes/:id/relationships/children',
  about: 'Moves nodes of the hierarchy below this node, or sets the order of its children.',
  shows: { resource: nodes },
  run: (ctx, call) => moveBelow(ctx, nodes, call),
})
