import { action } from '../../kernel/declare/action.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { explainHeader } from '../shown/explain-header.ts'
import { included, includedIn } from '../shown/included.ts'
import { includeNames, includeParameter, withIncludes } from '../shown/includes.ts'
import { answerCart } from './answer-cart.ts'
import { carts } from './carts.ts'

/** A cart with what it costs now. */
export const getCart = action({
  name: 'get-cart',
  route: 'GET /v2/carts/:id',
  about:
    'Returns a cart with what it costs now. An id that no cart has reads as an empty cart; the first write creates it.',
  area: 'carts',
  status: 200,
  headers: explainHeader,
  query: { include: includeParameter(...includeNames) },
  shows: { resource: carts, beside: { included } },
  run: (ctx, { params, query, headers }) =>
    answerCart(ctx, 'cart', params.id, { query, headers }, async (found) => {
      const row = await withIncludes(ctx, found, query)
      return objectAnswer(200, carts, row, ctx, includedIn(ctx, row))
    }),
})
