import type { Evaluation } from '../../promotions/index.ts'
import type { CartValues } from '../contents/cart-fields.ts'
import type { CartLine, Contents, CustomDiscount, ProductLine, TaxItem } from '../contents/contents.ts'
import type { CalculationMethod, TotalsCart, TotalsLine, TotalsTax } from '../totals/totals-cart.ts'
import { isProduct } from './cart-shop.ts'

/** The cart as far as its totals depend on it. */
export const totalsCartOf = (
  { lines, shippingGroups }: Contents,
  method: CalculationMethod,
  discounts: TotalsCart['discounts'],
): TotalsCart => ({ method, lines: lines.map(totalsLine), discounts, shippingGroups })

export const noDiscounts: TotalsCart['discounts'] = { source: 'promotions', shares: [], shippingShares: [] }

/** What is taken off the cart: custom discounts, or promotions. */
export function discountsOf(
  { discount_settings: settings }: CartValues,
  { lines, customDiscounts }: Contents,
  { shares, shippingShares }: Pick<Evaluation, 'shares' | 'shippingShares'>,
): TotalsCart['discounts'] {
  if (!settings?.custom_discounts_enabled) return { source: 'promotions', shares, shippingShares }
  return {
    source: 'custom',
    ofLines: lines.flatMap((line) =>
      line.customDiscounts.map((one) => ({ ...customDiscount(one), lineId: line.id })),
    ),
    ofCart: customDiscounts.map(customDiscount),
  }
}

function totalsLine(line: CartLine): TotalsLine {
  const { id, unit, quantity, taxes, shippingGroupId } = line
  return {
    id,
    unitPrice: unit.amount,
    includesTax: unit.includesTax,
    quantity,
    taxes: taxes.map(totalsTax),
    shippingGroupId,
    ...(isProduct(line) && line.componentTaxes && { components: componentsOf(line) }),
  }
}

const totalsTax = ({ id, rate, amount }: TaxItem): TotalsTax =>
  rate === undefined ? { id, amount } : { id, rate }

/** The components of a bundle that have taxes of their own. */
function componentsOf({ components = {}, componentTaxes = {} }: ProductLine) {
  const options = Object.values(components).flatMap((component) => component.options)
  return Object.entries(componentTaxes).flatMap(([id, taxes]) => {
    // A product may be an option of several components.
    const own = options.filter((option) => option.id === id)
    if (!own[0]) return []
    // A component without a price has no tax by a rate. Tax amounts count all the same.
    const { amount, includesTax } = own[0].unit ?? { amount: 0, includesTax: false }
    const quantity = own.reduce((total, option) => total + option.quantity, 0)
    return [{ id, unitPrice: amount, includesTax, quantity, taxes: taxes.map(totalsTax) }]
  })
}

const customDiscount = ({ id, description = '', code = '', amount }: CustomDiscount) => ({
  id,
  name: description,
  code,
  amount,
})
