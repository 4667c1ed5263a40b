import type { Holder } from '../../kernel/thing/holder.ts'
import { type CartChange, changeCart } from '../cart/change-cart.ts'
import { findCart } from '../cart/find-cart.ts'
import type { Cart, CartValues } from '../contents/cart-fields.ts'
import type { Contents } from '../contents/contents.ts'
import type { CartShop } from '../pricing/cart-shop.ts'
import { mustBeInCurrency } from './check-currency.ts'

interface CartRequest extends Pick<CartChange, 'amountAt' | 'currency' | 'shopper'> {
  /** Another currency than that of the cart is refused. */
  readonly mustBeIn?: string | undefined
}

export interface OpenCart {
  readonly cart: CartValues
  readonly shop: CartShop
}

/** What has taxes, custom discounts and shipping groups as its parts. */
export const cart: Holder<Cart, Contents, OpenCart, CartRequest> = {
  find: findCart,
  contentsOf: ({ inside }) => inside.contents,
  change: (ctx, name, deed, { mustBeIn, ...request } = {}) =>
    changeCart(ctx, name, {
      ...request,
      apply: (contents, shop, cart) => {
        mustBeInCurrency(shop, mustBeIn)
        return deed(contents, { cart, shop })
      },
    }),
}
