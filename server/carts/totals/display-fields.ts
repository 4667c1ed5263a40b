import { optional, type ShownValue, shown } from '../../kernel/shape/shown.ts'

/** An amount as carts and orders show it. */
export const displayedAmount = shown.group({
  amount: shown.integer,
  currency: shown.text,
  formatted: shown.text,
})

const unitAndValue = shown.group({ unit: displayedAmount, value: displayedAmount })

/** The `display_price` of a line. */
export const lineDisplayPrice = shown.group({
  with_tax: unitAndValue,
  without_tax: unitAndValue,
  tax: unitAndValue,
  discount: unitAndValue,
  without_discount: unitAndValue,
  // By code, whose promotions may be several: their parts are by the ids of promotions and custom discounts.
  discounts: optional(
    shown.map(
      shown.group({
        amount: shown.integer,
        currency: shown.text,
        formatted: shown.text,
        constituents: shown.map(displayedAmount),
      }),
    ),
  ),
})

export const shippingDisplayPrice = shown.group({
  total: displayedAmount,
  base: displayedAmount,
  tax: displayedAmount,
  fees: displayedAmount,
  discount: displayedAmount,
})

export type DisplayAmount = ShownValue<typeof displayedAmount>
export type LineDisplayPrice = ShownValue<typeof lineDisplayPrice>
export type ShippingDisplayPrice = ShownValue<typeof shippingDisplayPrice>
