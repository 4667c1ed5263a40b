import { module } from '../kernel/module.ts'

export type {
  CartPrice,
  CartPromotion,
  CartTotals,
  LineParts,
  LinePrice,
  LineTotals,
  ShippingTotals,
  UnitAndValue,
} from './cart-totals.ts'
export {
  displayAmount,
  displayCart,
  displayLine,
  displayPromotionItem,
  displayShipping,
  type LineDisplayPrice,
} from './display-totals.ts'
export { lineTotals, totalCart } from './total-cart.ts'
export type {
  CalculationMethod,
  PromotionDiscounts,
  TaxItem,
  TotalsCart,
  TotalsLine,
} from './totals-cart.ts'

export const totals = module({
  name: 'totals',
  about: 'Adds up what the lines of a cart cost, with discounts, taxes and shipping.',
})
