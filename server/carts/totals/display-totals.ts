import { sum } from '../../prices/index.ts'
import { formatAmount, type Notation } from '../../store/index.ts'
import type { CartPrice, CartTotals, LinePrice, LineTotals, ShippingTotals } from './cart-totals.ts'
import type { DisplayAmount, LineDisplayPrice, ShippingDisplayPrice } from './display-fields.ts'

export const displayAmount = (amount: number, currency: Notation): DisplayAmount => ({
  amount,
  currency: currency.code,
  formatted: formatAmount(amount, currency),
})

/** As `displayAmount`. Most amounts of a line or an order are equal, and writing one takes longer than finding it. */
function displayAmounts(currency: Notation): (amount: number) => DisplayAmount {
  const amounts = new Map<number, DisplayAmount>()
  return (amount) => {
    const display = amounts.get(amount) ?? displayAmount(amount, currency)
    amounts.set(amount, display)
    return display
  }
}

/** The `display_price` of a line. */
export function displayLine(
  { prices, discounts }: Pick<LineTotals, 'prices' | 'discounts'>,
  currency: Notation,
): LineDisplayPrice {
  const amountOf = displayAmounts(currency)
  const shown = (name: LinePrice) => ({
    unit: amountOf(prices[name].unit),
    value: amountOf(prices[name].value),
  })
  const byCode = Map.groupBy(discounts, ({ cause }) => cause.code)
  return {
    with_tax: shown('with_tax'),
    without_tax: shown('without_tax'),
    tax: shown('tax'),
    discount: shown('discount'),
    without_discount: shown('without_discount'),
    ...(byCode.size > 0 && {
      discounts: fromEntries(byCode, (shares) => ({
        ...amountOf(amountIn(shares)),
        constituents:
          shares.length === 1
            ? { [shares[0]?.cause.id as string]: amountOf(amountIn(shares)) }
            : fromEntries(
                Map.groupBy(shares, ({ cause }) => cause.id),
                (ofCause) => amountOf(amountIn(ofCause)),
              ),
      })),
    }),
  }
}

const amountIn = (shares: LineTotals['discounts']): number => sum(shares.map(({ amount }) => amount))

/** Clients choose codes, and one may be `__proto__`: `fromEntries` makes it a member like any other. */
const fromEntries = <T, R>(map: ReadonlyMap<string, T>, show: (value: T) => R): Record<string, R> =>
  Object.fromEntries([...map].map(([key, value]) => [key, show(value)]))

/** The `display_price` of a cart. Clients expect all members, also where they are 0. */
export function displayCart(
  { prices }: Pick<CartTotals, 'prices'>,
  currency: Notation,
): Record<CartPrice, DisplayAmount> {
  const amountOf = displayAmounts(currency)
  const shown = (name: CartPrice) => amountOf(prices[name])
  return {
    with_tax: shown('with_tax'),
    without_tax: shown('without_tax'),
    tax: shown('tax'),
    discount: shown('discount'),
    without_discount: shown('without_discount'),
    shipping: shown('shipping'),
    shipping_discount: shown('shipping_discount'),
  }
}

/** The `display_price` of a promotion of the whole cart. The public contract has a 0 without a currency in it. */
export function displayPromotionItem(amount: number, currency: Notation): LineDisplayPrice {
  const both = (one: DisplayAmount) => ({ unit: one, value: one })
  const taken = both(displayAmount(amount, currency))
  const nothing = both(displayAmount(0, currency))
  return {
    with_tax: taken,
    without_tax: taken,
    tax: nothing,
    discount: nothing,
    without_discount: both({ amount: 0, currency: '', formatted: '0' }),
  }
}

/** The `shipping_display_price` of a shipping group. */
export function displayShipping(
  { total, base, tax, fees, discount }: ShippingTotals,
  currency: Notation,
): ShippingDisplayPrice {
  return {
    total: displayAmount(total, currency),
    base: displayAmount(base, currency),
    tax: displayAmount(tax, currency),
    fees: displayAmount(fees, currency),
    discount: displayAmount(discount, currency),
  }
}
