import { action } from '../../kernel/declare/action.ts'
import { notFound, Problem } from '../../kernel/errors.ts'
import { noContent } from '../../kernel/shape/answer.ts'
import { isAutomaticCode } from '../../promotions/index.ts'
import { changeCart } from '../cart/change-cart.ts'
import type { Contents } from '../contents/contents.ts'
import { isSameCode } from '../pricing/codes.ts'

/** Removes a promotion code. */
export const deleteCartCode = action({
  name: 'delete-cart-code',
  route: 'DELETE /v2/carts/:cart_id/discounts/:code',
  about: 'Removes a promotion code from a cart. Automatic promotions cannot be removed.',
  area: 'carts',
  status: 204,
  queuesBy: 'cart_id',
  shows: { body: null },
  async run(ctx, { params }) {
    await changeCart(ctx, params.cart_id, {
      isLast: true,
      apply: (contents) => withoutCode(contents, params.code),
    })
    return noContent
  },
})

/** The contents without a code; a Problem if it is not among them. */
export function withoutCode(contents: Contents, code: string): Contents {
  const codes = contents.codes.filter((one) => !isSameCode(one.code, code))
  if (codes.length < contents.codes.length) return { ...contents, codes }
  if (isAutomaticCode(code)) {
    throw new Problem('bad_request', 'An automatic promotion cannot be removed from a cart.')
  }
  throw notFound('promotion code', code)
}
