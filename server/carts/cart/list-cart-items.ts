import { action } from '../../kernel/declare/action.ts'
import { explainHeader } from '../shown/explain-header.ts'
import { itemsAnswer, itemsIncludes, itemsShown } from '../shown/items-answer.ts'
import { answerCart } from './answer-cart.ts'

/** The items of a cart with what they cost now. */
export const listCartItems = action({
  name: 'list-cart-items',
  route: 'GET /v2/carts/:cart_id/items',
  about: 'Returns all items of a cart, in the order in which they were added, with what they cost now.',
  area: 'carts',
  status: 200,
  params: {},
  headers: explainHeader,
  query: itemsIncludes,
  shows: itemsShown,
  run: (ctx, { params, query, headers }) =>
    answerCart(ctx, 'items', params.cart_id, { query, headers }, (row) => itemsAnswer(200, ctx, row, query)),
})
