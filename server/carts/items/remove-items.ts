import { action } from '../../kernel/declare/action.ts'
import { foldId } from '../../kernel/ids.ts'
import { noContent } from '../../kernel/shape/answer.ts'
import { automaticCode } from '../../promotions/index.ts'
import { changeCart } from '../cart/change-cart.ts'
import type { CartValues } from '../contents/cart-fields.ts'
import { itemNotFound } from '../item-parts/line-of.ts'
import type { CartShop } from '../pricing/cart-shop.ts'
import { promotionItemId } from '../pricing/price-cart.ts'
import { showsCartOnly } from '../shown/includes.ts'
import { itemsAnswer, itemsIncludes, itemsShown } from '../shown/items-answer.ts'
import { withoutCode } from './remove-code.ts'

/** Removes one item. */
export const deleteCartItem = action({
  name: 'delete-cart-item',
  route: 'DELETE /v2/carts/:cart_id/items/:item_id',
  about:
    'Removes an item from a cart, and returns the remaining items. That of a promotion takes its code along.',
  area: 'carts',
  status: 200,
  queuesBy: 'cart_id',
  query: itemsIncludes,
  shows: itemsShown,
  async run(ctx, { params, query }) {
    const itemId = foldId(params.item_id)
    const row = await changeCart(ctx, params.cart_id, {
      isLast: showsCartOnly(query),
      apply: (contents, shop, cart) => {
        const lines = contents.lines.filter(({ id }) => id !== itemId)
        if (lines.length < contents.lines.length) return { ...contents, lines }
        return withoutCode(contents, codeOfItem(cart, shop, itemId))
      },
    })
    return itemsAnswer(200, ctx, row, query)
  },
})

/** The code of a promotion, from the id of its item. */
function codeOfItem(cart: CartValues, { promotions, codes }: CartShop, itemId: string): string {
  const found = promotions.find(({ promotion }) => promotionItemId(cart, promotion.id) === itemId)
  if (!found) throw itemNotFound(itemId)
  const { id } = found.promotion
  return codes.find(({ promotionId }) => promotionId === id)?.code ?? automaticCode(id)
}

/** Empties a cart. */
export const deleteCartItems = action({
  name: 'delete-cart-items',
  route: 'DELETE /v2/carts/:cart_id/items',
  about:
    'Removes all items and promotion codes from a cart. Its currency is free again, unless it has shipping groups or custom discounts.',
  area: 'carts',
  status: 204,
  queuesBy: 'cart_id',
  shows: { body: null },
  async run(ctx, { params }) {
    await changeCart(ctx, params.cart_id, {
      isLast: true,
      apply: (contents) => ({ ...contents, lines: [], codes: [] }),
    })
    return noContent
  },
})
