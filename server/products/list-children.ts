import { action } from '../kernel/action.ts'
import { findVisible, list } from '../kernel/operations.ts'
import { products } from './products.ts'

/** Lists the children of a product, a page at a time. */
export const listChildren = action({
  name: 'list-children',
  route: 'GET /pcm/products/:product_id/children',
  about:
    'Lists the children of a product, a page at a time: filtered, sorted and shown as any list of products.',
  area: 'products',
  status: 200,
  shows: { page: true },
  async run(ctx, call) {
    const { id } = await findVisible(ctx, products, call.params.product_id)
    return list(ctx, products, [], call, (bind) => `parent_id = ${bind(id)}::uuid`)
  },
})
