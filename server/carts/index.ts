export { carts } from './cart/carts.ts'
export { handOver, lockCart } from './cart/check-out.ts'
export { findCart } from './cart/find-cart.ts'
export { removeCartsOf, removeOrderedCarts } from './cart/remove-carts.ts'
export { cartChapter, cartItemChapter, simulationChapter, totals } from './chapters.ts'
export { amountFields } from './contents/amounts.ts'
export { type Cart, valuesOf } from './contents/cart-fields.ts'
export {
  type CartLine,
  type CartShippingGroup,
  type Contents,
  componentIdsOf,
  type ProductLine,
  quantityMax,
} from './contents/contents.ts'
export type { CustomAttributes } from './contents/custom-attributes.ts'
export { withoutShoppersTexts, withoutTextsOfGroup } from './contents/hide-texts.ts'
export { mustOrderAsOwner } from './contents/owners.ts'
export type { PricedCart } from './contents/priced-cart.ts'
export { mustHaveRight } from './contents/shopper-rights.ts'
export { otherCurrency } from './item-parts/check-currency.ts'
export { shopperIn } from './item-parts/request.ts'
export {
  newShippingGroup,
  shippingGroupFields,
  shippingGroupShown,
  showShippingGroup,
  withGroupValues,
} from './item-parts/shipping-group.ts'
export { findProductsOfOrder } from './items/reorder.ts'
export { isProduct } from './pricing/cart-shop.ts'
export { type Available, readAvailable } from './pricing/check-stock.ts'
export { messagesOfChange } from './pricing/messages.ts'
export { type PricedOutcome, priceCart } from './pricing/price-cart.ts'
export { stockPortionsOf } from './pricing/stock-portions.ts'
export { customDiscount, promotion, showCustomDiscount, showTaxItem, taxItem } from './shown/included.ts'
export { type CartItem, itemFields, itemRelationships } from './shown/item-fields.ts'
export { messages } from './shown/items-answer.ts'
export { cartAmounts, expiresAt } from './shown/show-cart.ts'
export { itemsOf, taxesOf } from './shown/show-items.ts'
export type { CartPrice, CartTotals, LinePrice, ShippingTotals, UnitAndValue } from './totals/cart-totals.ts'
export { shippingDisplayPrice } from './totals/display-fields.ts'
export { displayAmount, displayCart } from './totals/display-totals.ts'
