import { multiply } from '../../prices/index.ts'
import type { DiscountCart, DiscountLine } from '../../promotions/index.ts'
import type { CartValues } from '../contents/cart-fields.ts'
import type { CartLine, Contents } from '../contents/contents.ts'
import { totalCart } from '../totals/total-cart.ts'
import { type CartShop, isProduct } from './cart-shop.ts'
import { noDiscounts, totalsCartOf } from './totals-cart-of.ts'

/** The cart as far as promotions depend on it. */
export function discountCartOf(cart: CartValues, contents: Contents, shop: CartShop): DiscountCart {
  const { lines, shippingGroups } = contents
  const { custom_discounts_enabled: isCustom, use_rule_promotions: usesRules } = cart.discount_settings ?? {}
  const values = valuesOf(contents, shop)
  return {
    currency: shop.currency.code,
    at: shop.at,
    calculationMethod: shop.method,
    usesRulePromotions: usesRules ?? false,
    usesCustomDiscounts: isCustom ?? false,
    lines: lines.map((line, i) => discountLine(line, values[i] as number)),
    shopper: shop.shopper,
    accountTags: shop.accountTags,
    customAttributes: cart.custom_attributes ?? {},
    shippingGroups: shippingGroups
      .filter((group) => lines.some(({ shippingGroupId }) => shippingGroupId === group.id))
      .map(({ id, shippingType, base }) => ({ id, shippingType, base })),
  }
}

/** What each line costs before discounts, as shown; with the simple method without tax. */
function valuesOf(contents: Contents, { method }: CartShop): readonly number[] {
  if (method === 'line') return contents.lines.map(({ unit, quantity }) => multiply(unit.amount, quantity))
  return totalCart(totalsCartOf(contents, method, noDiscounts)).lines.map(
    ({ prices }) => prices.without_tax.value,
  )
}

const discountLine = (line: CartLine, value: number): DiscountLine => ({
  id: line.id,
  kind: line.kind,
  sku: line.sku,
  unitPrice: line.unit.amount,
  quantity: line.quantity,
  value,
  nodeIds: [],
  attributes: {},
  customAttributes: line.customAttributes ?? {},
  ...(isProduct(line) && { productId: line.productId, autoAdded: line.autoAdded, ...line.facts }),
})
