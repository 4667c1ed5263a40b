import { Problem } from '../kernel/errors.ts'
import { divide, multiply, sum } from '../money/index.ts'
import type { CartPrice, LinePrice, UnitAndValue } from '../totals/index.ts'

/** The amounts of an order that a seller enters: what is sent counts, and the rest follows from it. */

/** The amounts that a request has, by their names. */
type RequestAmounts<P extends string> = Readonly<Partial<Record<P, number | undefined>>>

/** An item, as far as its amounts depend on it. */
export interface ItemAmounts {
  readonly quantity: number
  readonly unitPrice: number
  /** Of all units, before discounts. */
  readonly value?: number | undefined
  readonly includesTax: boolean
  readonly units: RequestAmounts<LinePrice>
  readonly values: RequestAmounts<LinePrice>
}

export interface ItemPrices {
  readonly value: number
  readonly prices: Readonly<Record<LinePrice, UnitAndValue>>
}

/** The prices of an item. `source` is the place of its `display_price` in the request. */
export function pricesOfItem(item: ItemAmounts, source: string): ItemPrices {
  const { quantity, unitPrice, includesTax, units, values: sent } = item
  const value = item.value ?? multiply(unitPrice, quantity)
  const withoutDiscount = sent.without_discount ?? value
  const discount = sent.discount ?? 0
  const tax = sent.tax ?? 0
  const net = sum([withoutDiscount, discount])
  const taxed = completeTax(sent, { tax, without_tax: includesTax ? sum([net, -tax]) : net }, (name) => {
    return `${source}.${name}.value.amount`
  })
  const values = { ...taxed, discount, without_discount: withoutDiscount }
  const of = (name: LinePrice): UnitAndValue => ({
    unit: units[name] ?? divide(values[name], quantity),
    value: values[name],
  })
  return {
    value,
    prices: {
      with_tax: of('with_tax'),
      without_tax: of('without_tax'),
      tax: of('tax'),
      discount: of('discount'),
      without_discount: of('without_discount'),
    },
  }
}

/** The totals of an order: by default, those of its items and what their shipping costs. */
export function pricesOfOrder(
  items: readonly ItemPrices[],
  sent: RequestAmounts<CartPrice>,
  source: string,
): Readonly<Record<CartPrice, number>> {
  const sumOf = (name: LinePrice) => sum(items.map(({ prices }) => prices[name].value))
  const { shipping = 0, shipping_discount: shippingDiscount = 0 } = sent
  const usual = { tax: sumOf('tax'), without_tax: sum([sumOf('without_tax'), shipping, shippingDiscount]) }
  return {
    ...completeTax(sent, usual, (name) => `${source}.${name}.amount`),
    discount: sent.discount ?? sumOf('discount'),
    without_discount: sent.without_discount ?? sum([sumOf('without_discount'), shipping]),
    shipping,
    shipping_discount: shippingDiscount,
  }
}

type TaxPrice = 'with_tax' | 'without_tax' | 'tax'

/** Of these three amounts, one is the sum of the others. */
function completeTax(
  sent: RequestAmounts<TaxPrice>,
  usual: { readonly tax: number; readonly without_tax: number },
  sourceOf: (name: TaxPrice) => string,
): Readonly<Record<TaxPrice, number>> {
  const { with_tax: gross, without_tax: net } = sent
  const tax = sent.tax ?? (gross !== undefined && net !== undefined ? sum([gross, -net]) : usual.tax)
  const withoutTax = net ?? (gross !== undefined ? sum([gross, -tax]) : usual.without_tax)
  const withTax = gross ?? sum([withoutTax, tax])
  const wrong = withTax !== sum([withoutTax, tax]) ? 'with_tax' : tax < 0 ? 'tax' : 'without_tax'
  if (withTax === sum([withoutTax, tax]) && tax >= 0 && withoutTax >= 0) {
    return { with_tax: withTax, without_tax: withoutTax, tax }
  }
  const detail = `${sourceOf('with_tax')} must be the sum of without_tax and tax, and neither may be less than 0. Here, with_tax is ${withTax}, without_tax ${withoutTax} and tax ${tax}.`
  throw new Problem('invalid_field', detail, { source: sourceOf(wrong) })
}
