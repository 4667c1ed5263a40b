import { action } from '../../kernel/declare/action.ts'
import { noContent } from '../../kernel/shape/answer.ts'
import { choice, group, list, reference } from '../../kernel/shape/fields.ts'
import { limits } from '../product-fields/association-rules.ts'
import { findBoth, unlink } from './associations.ts'
import { products } from './products.ts'

const dissociationList = list(
  group(
    {
      type: choice(['product'], { required: true }),
      id: reference('product', { required: true, about: 'The id of the associated product.' }),
    },
    {},
  ),
  {
    required: true,
    maxItems: limits.associatedMax,
    about: 'The products to dissociate. Products that are not associated are ignored.',
  },
)

/** Removes associations of a product. The custom relationship stays attached. */
export const dissociateProducts = action({
  name: 'dissociate-products',
  route: 'DELETE /pcm/products/:product_id/custom-relationships/:slug',
  about: 'Removes associations of a product by a custom relationship, which stays attached to the product.',
  area: 'products',
  status: 204,
  data: dissociationList,
  async run(ctx, { params, data }) {
    const both = await findBoth(ctx, params)
    const ids = (data as readonly { id: string }[]).map(({ id }) => id)
    await ctx.store.lock(products, both.productId, ...(both.by.doc.bi_directional ? ids : []))
    const changedIds = await unlink(ctx, both, ids)
    await ctx.store.touchAll(products, (bind) => `r.id = ANY(${bind(changedIds)}::uuid[])`)
    return noContent
  },
})
