import { action } from '../kernel/declare/action.ts'
import { objectAnswer } from '../kernel/http/object-answer.ts'
import { parse } from '../kernel/query/parse.ts'
import { wantsExplanation } from '../storefront/index.ts'
import { carts } from './carts.ts'
import { explainHeader } from './explain-header.ts'
import { findCart } from './find-cart.ts'
import { includedIn, includedSchema } from './included.ts'
import { includeNames, includeParameter, withIncludes } from './includes.ts'
import { rememberAnswer, rememberedAnswer } from './remember-answer.ts'

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
  shows: { resource: carts, beside: { included: includedSchema } },
  async run(ctx, { params, query, headers }) {
    const explains = wantsExplanation(ctx, { headers })
    const question = { name: params.id, includes: parse(query).include }
    const isPlain = !explains && !question.includes.includes('component_products')
    const remembered = isPlain ? await rememberedAnswer(ctx, question) : undefined
    if (remembered) return remembered
    const found = await findCart(ctx, params.id, { explains })
    const row = await withIncludes(ctx, found, query)
    const answer = objectAnswer(200, carts, row, ctx, includedIn(ctx, row))
    if (isPlain) rememberAnswer(ctx, question, row, answer)
    return answer
  },
})
