import { action } from '../../kernel/declare/action.ts'
import { listing } from '../../kernel/declare/listing.ts'
import { findByName } from '../../kernel/query/find.ts'
import { list } from '../../kernel/request/operations.ts'
import { products } from './products.ts'

/** The products that have this parent. */
const children = listing(products, {
  noun: ['child-product', 'child-products'],
  scope: { columns: ['parent_id'] },
  counted: false,
})

/** Lists the children of a product, a page at a time. */
export const listChildren = action({
  name: 'list-children',
  route: 'GET /pcm/products/:product_id/children',
  about: 'Lists the children of a product, with the filters and sorts of the list of products.',
  area: 'products',
  status: 200,
  shows: { resource: products, page: true, rows: [children] },
  async run(ctx, call) {
    const { id } = await findByName(ctx, products, call.params.product_id)
    return list(ctx, children, [id], call)
  },
})
