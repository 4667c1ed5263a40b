import { type Fields, group, text, type Values } from '../../kernel/shape/fields.ts'
import { about, optional, shown } from '../../kernel/shape/shown.ts'
import { amountFields } from '../contents/amounts.ts'
import type { CartRow } from '../contents/cart-fields.ts'
import { displayCart } from '../totals/display-totals.ts'
import { verdicts } from './verdict-fields.ts'

const amount = (about: string) => group(amountFields, { required: true, about })

/** The seven totals of a cart. */
export const cartAmounts = {
  with_tax: amount('What the shopper pays.'),
  without_tax: amount('Without tax.'),
  tax: amount('The taxes of the items.'),
  discount: amount('What discounts take off the items: 0 or less.'),
  without_discount: amount('Before discounts.'),
  shipping: amount('The prices of shipping groups that have items.'),
  shipping_discount: amount('What discounts take off shipping: 0 or less.'),
}

export const cartDisplayPrice = group(cartAmounts, { about: 'The totals of the cart.' })

export const suggestions = optional(
  about('What the shopper can add to get more off.', shown.list(shown.object)),
)

export const cartMeta = {
  display_price: cartDisplayPrice,
  promotion_suggestions: suggestions,
  promotion_verdicts: verdicts,
  expires_at: text({ format: 'date-time', about: 'When the cart expires, unless it changes before.' }),
} satisfies Fields

const dayMs = 86_400_000

/** When the cart expires: some days after its last change. */
export const expiresAt = ({ updatedAt, hidden }: Pick<CartRow, 'updatedAt' | 'hidden'>): string =>
  new Date(Date.parse(updatedAt) + (hidden.expiry_days ?? 0) * dayMs).toISOString()

export function metaOf(row: CartRow): Values<typeof cartMeta> {
  const { priced, read_at: readAt } = row.hidden
  return {
    display_price: priced && displayCart(priced, priced.currency),
    promotion_suggestions: priced?.suggestions.length ? priced.suggestions : undefined,
    promotion_verdicts: priced?.explanation?.verdicts,
    // A cart that does not exist yet would expire some days from now.
    expires_at: expiresAt(readAt ? { updatedAt: readAt, hidden: row.hidden } : row),
  }
}
