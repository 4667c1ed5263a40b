import { action } from '../kernel/action.ts'
import type { Work } from '../kernel/context.ts'
import { choice, group, list, reference } from '../kernel/fields.ts'
import { objectAnswer } from '../kernel/http/answer.ts'
import { findSeen, findVisible, scopeOf } from '../kernel/operations.ts'
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

const moveBelow = (work: Work, hierarchyId: string, parentId: string, data: unknown): Promise<void> =>
  moveNodes(
    work,
    hierarchyId,
    (data as readonly Child[]).map(({ id, meta }, i) => {
      return { id, parentId, sortOrder: meta?.sort_order, source: `data.${i}.id` }
    }),
  )

/** Puts nodes to the top of their hierarchy, in an order. */
export const addHierarchyChildren = action({
  name: 'add-hierarchy-children',
  route: 'POST /pcm/hierarchies/:id/relationships/children',
  about: 'Moves nodes of the hierarchy to its top, or sets the order of those that are there.',
  area: 'hierarchies',
  status: 200,
  data: children,
  shows: { resource: hierarchies },

  async run(ctx, { params, data }) {
    const scope = await scopeOf(ctx, hierarchies, params)
    const { id } = await findVisible(ctx, hierarchies, params.id, scope)
    await moveBelow(ctx, id, id, data)
    return objectAnswer(200, hierarchies, await findSeen(ctx, hierarchies, id, scope), ctx)
  },
})

/** Puts nodes below another, in an order. */
export const addNodeChildren = action({
  name: 'add-node-children',
  route: 'POST /pcm/hierarchies/:hierarchy_id/nodes/:id/relationships/children',
  about: 'Moves nodes of the hierarchy below this one, or sets the order of those that are there.',
  area: 'hierarchies',
  status: 200,
  data: children,
  shows: { resource: nodes },

  async run(ctx, { params, data }) {
    const scope = await scopeOf(ctx, nodes, params)
    const { id } = await findVisible(ctx, nodes, params.id, scope)
    await moveBelow(ctx, scope[0] as string, id, data)
    return objectAnswer(200, nodes, await findSeen(ctx, nodes, id, scope), ctx)
  },
})
