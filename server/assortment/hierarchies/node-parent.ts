import { action } from '../../kernel/declare/action.ts'
import { findByName, scopeOf } from '../../kernel/query/find.ts'
import { noContent } from '../../kernel/shape/answer.ts'
import { moveNodes } from './move-node.ts'
import { nodes, parentLink } from './nodes.ts'

const route = '/pcm/hierarchies/:hierarchy_id/nodes/:id/relationships/parent'

/** Moves a node and its descendants below another node of the same hierarchy. */
export const updateNodeParent = action({
  name: 'update-node-parent',
  route: `PUT ${route}`,
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

/** Moves a node to the top level of its hierarchy. */
export const deleteNodeParent = action({
  name: 'delete-node-parent',
  route: `DELETE ${route}`,
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
