import { action } from '../../kernel/declare/action.ts'
import { listing } from '../../kernel/declare/listing.ts'
import { Problem } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { findByName } from '../../kernel/query/find.ts'
import { list as listRows } from '../../kernel/request/operations.ts'
import { type Answer, json } from '../../kernel/shape/answer.ts'
import { group, list, text } from '../../kernel/shape/fields.ts'
import { shown } from '../../kernel/shape/shown.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { filterCondition } from '../products/filter-condition.ts'
import { products } from '../products/products.ts'
import { nodesOfStore } from './node-lists.ts'
import { attachProducts, detachProducts } from './node-products.ts'
import { nodes } from './nodes.ts'

const nodesOfProduct = listing(nodesOfStore, {
  noun: ['node-of-product', 'nodes-of-product'],
  table:
    '(SELECT n.*, p.id AS product_id ' +
    'FROM node_products p JOIN nodes n ON n.store_id = p.store_id AND n.id = p.node_id) nodes',
  scope: { columns: ['product_id'] },
  counted: false,
})

export const listNodesOfProduct = action({
  name: 'list-nodes-of-product',
  route: 'GET /pcm/products/:product_id/nodes',
  about: 'Lists the nodes of a product, live or draft.',
  area: 'hierarchies',
  status: 200,
  shows: { resource: nodes, page: true, rows: [nodesOfProduct] },
  async run(ctx, call) {
    const { id } = await findByName(ctx, products, call.params.product_id)
    return listRows(ctx, nodesOfProduct, [id], call)
  },
})

const selectionFields = group(
  {
    filter: text({
      required: true,
      min: 1,
      max: 8192,
      about: 'A filter of the product list; it selects the products.',
      example: 'eq(sku,LOAF-RYE)',
    }),
    node_ids: list(text({ max: 255 }), { required: true, maxItems: 1000, about: 'The nodes.' }),
  },
  { required: true },
)
type NodeSelection = NonNullable<(typeof selectionFields)['value']>

const changedNodes = (counted: string) =>
  shown.group({ [counted]: shown.integer, nodes_not_found: shown.list(shown.text) })

const shared = { area: 'hierarchies', status: 200, data: selectionFields } as const

export const attachNodes = action({
  ...shared,
  name: 'attach-nodes',
  route: 'POST /pcm/products/attach_nodes',
  about: 'Adds all products that match a filter to nodes.',
  shows: { beside: { meta: changedNodes('nodes_attached') } },
  run: (ctx, { data }) => changeAll(ctx, data as NodeSelection, attachProducts, 'nodes_attached'),
})

export const detachNodes = action({
  ...shared,
  name: 'detach-nodes',
  route: 'POST /pcm/products/detach_nodes',
  about: 'Removes all products that match a filter from nodes.',
  shows: { beside: { meta: changedNodes('nodes_detached') } },
  run: (ctx, { data }) => changeAll(ctx, data as NodeSelection, detachProducts, 'nodes_detached'),
})

async function changeAll(
  ctx: Ctx,
  selection: NodeSelection,
  change: typeof attachProducts | typeof detachProducts,
  counted: 'nodes_attached' | 'nodes_detached',
): Promise<Answer> {
  const condition = filterCondition(selection.filter)
  if (!condition)
    throw new Problem('bad_filter', 'Could not parse the supplied filter', { source: 'data.filter' })
  const { ids, missing } = await lockNodes(ctx, selection)
  await change(ctx, ids, condition)
  return json(200, { meta: { [counted]: ids.length, nodes_not_found: missing } })
}

/** Locks the nodes that exist until the transaction ends, and returns their ids and the names of the missing ones. */
async function lockNodes(
  { store }: Ctx,
  { node_ids }: NodeSelection,
): Promise<{ ids: readonly string[]; missing: readonly string[] }> {
  const nameById = new Map(node_ids.map((name) => [name.toLowerCase(), name]))
  const lockedIds = await store.lockShared(nodes, ...[...nameById.keys()].filter(isId))
  const rows = await store.run(
    'SELECT id FROM nodes WHERE store_id = $1 AND id = ANY($2::uuid[]) AND parent_id IS NOT NULL ORDER BY id',
    [...lockedIds],
  )
  const ids = rows.map(([id]) => id as string)
  return { ids, missing: [...nameById].flatMap(([id, name]) => (ids.includes(id) ? [] : [name])) }
}
