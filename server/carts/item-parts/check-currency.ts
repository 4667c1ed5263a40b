import { Problem } from '../../kernel/errors.ts'
import type { CartShop } from '../pricing/cart-shop.ts'

/** Refuses (400) a request for another currency than that of the cart, or for one that the store does not have. */
export function mustBeInCurrency({ currency: { code } }: CartShop, requested: string | undefined): void {
  if (requested !== undefined && requested !== code) throw otherCurrency(code, requested, 'X-Moltin-Currency')
}

export const otherCurrency = (own: string, other: string, source: string) =>
  new Problem(
    'bad_request',
    `The currency of this cart is ${own}, not ${other.slice(0, 255)}. Send ${own}, or use a new cart for another enabled currency of the store.`,
    { title: 'Cart Currency Mismatch', source },
  )
