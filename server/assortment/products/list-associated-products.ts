import { action } from '../../kernel/declare/action.ts'
import { listing } from '../../kernel/declare/listing.ts'
import { objectOf } from '../../kernel/openapi/named-schemas.ts'
import { answerList } from '../../kernel/request/export-list.ts'
import { list } from '../../kernel/request/operations.ts'
import { associations, findBoth } from './associations.ts'
import { products } from './products.ts'

const path = '/pcm/products/:product_id/custom-relationships/:slug'
const inOrder = 'products with a sort_order first, lowest first; then the others as they were added'
/** Lists the ids of the products that a product is associated with by a custom relationship. */
export const listAssociatedProductIds = action({
  name: 'list-associated-product-ids',
  route: `GET ${path}`,
  about: `Lists the ids of the products that a product is associated with by a custom relationship: ${inOrder}.`,
  area: 'products',
  status: 200,
  shows: { page: true, data: objectOf(() => associations), rows: [associations] },
  async run(ctx, call) {
    const { productId, by } = await findBoth(ctx, call.params)
    const source = { resource: associations, scope: [productId, by.id] }
    return answerList(ctx, call, { source })
  },
})

/** The associated products themselves. */
const associatedProducts = listing(products, {
  noun: ['product-associated-with-another', 'products-associated-with-another'],
  table:
    '(SELECT p.*, a.place, a.product_id AS associated_with, a.custom_relationship_id AS associated_by ' +
    'FROM associated_products a JOIN products p ON p.store_id = a.store_id AND p.id = a.id) products',
  scope: { columns: ['associated_with', 'associated_by'] },
  order: { by: 'place', about: inOrder },
  counted: false,
})

/** Lists the products that a product is associated with by a custom relationship. */
export const listAssociatedProducts = action({
  name: 'list-associated-products',
  route: `GET ${path}/products`,
  about: `Lists the products that a product is associated with by a custom relationship: ${inOrder}.`,
  area: 'products',
  status: 200,
  shows: { resource: products, page: true, rows: [associatedProducts] },
  async run(ctx, call) {
    const { productId, by } = await findBoth(ctx, call.params)
    return list(ctx, associatedProducts, [productId, by.id], call)
  },
})
