import { action } from '../kernel/declare/action.ts'
import { objectAnswer } from '../kernel/http/object-answer.ts'
import { wantsExplanation } from '../storefront/index.ts'
import { carts } from './carts.ts'
import { explainHeader } from './explain-header.ts'
import { findCart } from './find-cart.ts'
import { includedIn, includedSchema, includeParameter, includesOf } from './included.ts'

/** A cart with what it costs now. */
export const getCart = action({
  name: 'get-cart',
  route: 'GET /v2/carts/:id',
  about:
    'Returns a cart with what it costs now. An id that no cart has reads as an empty cart; the first write creates it.',
  area: 'carts',
  status: 200,
  headers: explainHeader,
  query: { include: includeParameter('items', 'tax_items', 'custom_discounts', 'promotions') },
  shows: { resource: carts, beside: { included: includedSchema } },
  async run(ctx, { params, query, headers }) {
    const row = await findCart(ctx, params.id, { explains: wantsExplanation(ctx, { headers }) })
    const including = { ...row, hidden: { ...row.hidden, includes: includesOf(query) } }
    return objectAnswer(200, carts, including, ctx, includedIn(ctx, row, query))
  },
})
