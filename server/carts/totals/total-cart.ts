import { divide, multiply, sum } from '../../prices/index.ts'
import type { Share } from '../../promotions/index.ts'
import { cartPromotions, inOrder, stopAtUntaxed } from './cart-promotions.ts'
import type {
  CartPromotion,
  CartTotals,
  LineParts,
  LinePrice,
  LineTax,
  LineTotals,
  ShippingTotals,
  UnitAndValue,
} from './cart-totals.ts'
import { customShares } from './custom-discounts.ts'
import { shippingTotals } from './shipping-totals.ts'
import { lineTaxes } from './taxes.ts'
import type { CalculationMethod, TotalsCart, TotalsLine } from './totals-cart.ts'

/** The totals as far as they are known after a step. */
interface TotalsDraft {
  readonly cart: TotalsCart
  readonly lines: readonly DraftLine[]
  readonly cartPromotions: readonly CartPromotion[]
  readonly shippingGroups: readonly ShippingTotals[]
}

type DraftLine = LineParts & { readonly line: TotalsLine }

type Step = (draft: TotalsDraft) => TotalsDraft

/** What happens in which order. docs/money.md has an example of each step. */
const steps: Readonly<Record<CalculationMethod, readonly Step[]>> = {
  line: [addValues, takeDiscounts, addTaxesByLine, addShipping],
  simple: [addValues, addTaxesByUnit, takeCartPromotions, addShipping],
}

/** Calculates what a cart costs: each line, each promotion of the cart, each shipping group, and all together. */
export function totalCart(cart: TotalsCart): CartTotals {
  const start: TotalsDraft = { cart, lines: [], cartPromotions: [], shippingGroups: [] }
  return addUp(steps[cart.method].reduce((draft, step) => step(draft), start))
}

function addValues(draft: TotalsDraft): TotalsDraft {
  const lines = draft.cart.lines.map((line) => {
    const value = multiply(line.unitPrice, line.quantity)
    return { line, value, discounts: [], taxes: [] }
  })
  return { ...draft, lines }
}

function takeDiscounts(draft: TotalsDraft): TotalsDraft {
  const { discounts } = draft.cart
  const values = new Map(draft.lines.map(({ line, value }) => [line.id, value]))
  const shares = discounts.source === 'custom' ? customShares(discounts, values) : discounts.shares
  const byLine = Map.groupBy(inOrder(shares), ({ lineId }) => lineId)
  for (const [lineId, ofLine] of byLine) checkShares(lineId, values.get(lineId), ofLine)
  const lines = draft.lines.map((one) => ({ ...one, discounts: byLine.get(one.line.id) ?? [] }))
  return { ...draft, lines, cartPromotions: cartPromotions(shares) }
}

/** The evaluator stops discounts at the price. If it did not, no total is better than a wrong one. */
function checkShares(lineId: string, value: number | undefined, shares: readonly Share[]): void {
  if (value === undefined) throw new Error(`there is no line ${lineId} to take a discount off`)
  if (shares.some(({ amount }) => amount > 0))
    throw new Error(`a discount of the line ${lineId} is a surcharge`)
  if (discountOf(shares) < -value) throw new Error(`the discounts of the line ${lineId} exceed its price`)
}

const discountOf = (shares: readonly Share[]): number => sum(shares.map(({ amount }) => amount))

function addTaxesByLine(draft: TotalsDraft): TotalsDraft {
  return withTaxes(draft, ({ line, value, discounts }) =>
    lineTaxes(line, value + discountOf(discounts), 'line'),
  )
}

function addTaxesByUnit(draft: TotalsDraft): TotalsDraft {
  return withTaxes(draft, ({ line, value }) => lineTaxes(line, value, 'unit'))
}

const withTaxes = (draft: TotalsDraft, taxes: (line: DraftLine) => readonly LineTax[]): TotalsDraft => ({
  ...draft,
  lines: draft.lines.map((line) => ({ ...line, taxes: taxes(line) })),
})

/** The simple method knows standard promotions of the whole cart only. They lower the total, and no line. */
function takeCartPromotions(draft: TotalsDraft): TotalsDraft {
  const { discounts } = draft.cart
  if (discounts.source === 'custom') return draft
  const shares = discounts.shares.filter(({ cause }) => cause.source === 'standard')
  const untaxed = sum(draft.lines.map((one) => linePrices(one).without_tax))
  return { ...draft, cartPromotions: stopAtUntaxed(untaxed, cartPromotions(shares)) }
}

function addShipping(draft: TotalsDraft): TotalsDraft {
  return { ...draft, shippingGroups: shippingTotals(draft.cart) }
}

function addUp({ cart, lines, cartPromotions, shippingGroups }: TotalsDraft): CartTotals {
  const prices = lines.map(linePrices)
  const total = (name: LinePrice) => sum(prices.map((one) => one[name]))
  const linked = shippingGroups.filter(({ isLinked }) => isLinked)
  const shipping = sum(linked.map((group) => group.total))
  const shippingDiscount = sum(linked.map((group) => group.discount))
  // In the simple method the lines are without the discount, and the total is with it.
  const ofTotal = cart.method === 'simple' ? sum(cartPromotions.map(({ amount }) => amount)) : 0
  return {
    lines: lines.map((one) => ({ ...one, prices: lineTotals(one.line, one) })),
    cartPromotions,
    shippingGroups,
    prices: {
      with_tax: sum([total('with_tax'), ofTotal, shipping, shippingDiscount]),
      without_tax: sum([total('without_tax'), ofTotal, shipping, shippingDiscount]),
      tax: total('tax'),
      discount: sum([total('discount'), ofTotal]),
      without_discount: sum([total('without_discount'), shipping]),
      shipping,
      shipping_discount: shippingDiscount,
    },
  }
}

/** The prices of a line that add up from its parts. */
export const lineTotals = (
  line: Pick<TotalsLine, 'quantity' | 'includesTax'>,
  parts: LineParts,
): LineTotals['prices'] => perUnit(line, linePrices({ ...parts, line }))

function linePrices({
  line,
  value,
  discounts,
  taxes,
}: LineParts & { readonly line: Pick<TotalsLine, 'includesTax'> }): Record<LinePrice, number> {
  const discount = discountOf(discounts)
  const tax = sum(taxes.map(({ amount }) => amount))
  const discounted = value + discount
  return {
    with_tax: line.includesTax ? discounted : sum([discounted, tax]),
    without_tax: line.includesTax ? discounted - tax : discounted,
    tax,
    discount,
    without_discount: value,
  }
}

function perUnit(
  { quantity }: Pick<TotalsLine, 'quantity'>,
  prices: Record<LinePrice, number>,
): LineTotals['prices'] {
  const both = (value: number): UnitAndValue => ({ unit: divide(value, quantity), value })
  return {
    with_tax: both(prices.with_tax),
    without_tax: both(prices.without_tax),
    tax: both(prices.tax),
    discount: both(prices.discount),
    without_discount: both(prices.without_discount),
  }
}
