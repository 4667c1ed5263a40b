import { action } from '../kernel/declare/action.ts'
import { noContent } from '../kernel/http/answer.ts'
import { choice, group, list, reference } from '../kernel/shape/fields.ts'
import { limits } from './association-rules.ts'
import { findBoth, unlink } from './associations.ts'
import { products } from './products.ts'

const unwanted = list(
  group(
    {
      type: choice(['product'], { required: true }),
      id: reference('product', { required: true, about: 'The product to part with.' }),
    },
    {},
  ),
  { required: true, maxItems: limits.associatedMax, about: 'Those that are not there do no harm.' },
)

/** Ends the association of a product with others by a custom relationship, which it keeps. */
export const dissociateProducts = action({
  name: 'dissociate-products',
  route: 'DELETE /pcm/products/:product_id/custom-relationships/:slug',
  about: 'Ends the association of a product with others by a custom relationship. The product keeps that.',
  area: 'products',
  status: 204,
  data: unwanted,
  async run(ctx, { params, data }) {
    const both = await findBoth(ctx, params)
    const ids = (data as readonly { id: string }[]).map(({ id }) => id)
    const changed = [both.productId, ...(both.by.doc.bi_directional ? ids : [])]
    await ctx.store.hold(products, ...changed)
    await unlink(ctx, both, ids)
    await ctx.store.touchAll(products, (bind) => `r.id = ANY(${bind(changed)}::uuid[])`)
    return noContent
  },
})
