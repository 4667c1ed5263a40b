import type { CartPrice, LinePrice, UnitAndValue } from '../../carts/index.ts'
import { Problem } from '../../kernel/errors.ts'
import { divide, multiply, sum } from '../../prices/index.ts'

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
  const { discount = 0, tax = 0 } = sent
  const net = sum([withoutDiscount, discount])
  const usual = { tax, without_tax: includesTax ? sum([net, -tax]) : net }
  const taxed = completeTax({ ...sent, discount }, usual, (name) => `${source}.${name}.value.amount`)
  const values = { ...taxed, discount, without_discount: withoutDiscount }
  const of = (name: LinePrice): UnitAndValue => {
    const value = values[name]
    const unit = (sent[name] ?? value) === value ? units[name] : undefined
    return { unit: unit ?? divide(value, quantity), value }
  }
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
  const discount = sent.discount ?? sumOf('discount')
  return {
    ...completeTax({ ...sent, discount }, usual, (name) => `${source}.${name}.amount`),
    discount,
    without_discount: sent.without_discount ?? sum([sumOf('without_discount'), shipping]),
    shipping,
    shipping_discount: shippingDiscount,
  }
}

type TaxPrice = 'with_tax' | 'without_tax' | 'tax'
type TaxAmounts = Readonly<Record<TaxPrice, number>>

/** Of these three amounts, one is the sum of the others. A request may send `without_tax` before its discount. */
function completeTax(
  sent: RequestAmounts<TaxPrice> & { readonly discount: number },
  usual: Omit<TaxAmounts, 'with_tax'>,
  sourceOf: (name: TaxPrice) => string,
): TaxAmounts {
  const amounts = fillTax(sent, usual)
  if (addsUp(amounts)) return amounts
  if (sent.without_tax !== undefined) {
    const afterDiscount = fillTax({ ...sent, without_tax: sum([sent.without_tax, sent.discount]) }, usual)
    if (addsUp(afterDiscount)) return afterDiscount
  }
  const { with_tax: withTax, without_tax: withoutTax, tax } = amounts
  const wrong = withTax !== sum([withoutTax, tax]) ? 'with_tax' : tax < 0 ? 'tax' : 'without_tax'
  const detail = `${sourceOf('with_tax')} must be the sum of without_tax and tax, and neither may be less than 0. Here, with_tax is ${withTax}, without_tax ${withoutTax} and tax ${tax}.`
  throw new Problem('invalid_field', detail, { source: sourceOf(wrong) })
}

function fillTax(sent: RequestAmounts<TaxPrice>, usual: Omit<TaxAmounts, 'with_tax'>): TaxAmounts {
  const { with_tax: gross, without_tax: net } = sent
  const tax = sent.tax ?? (gross !== undefined && net !== undefined ? sum([gross, -net]) : usual.tax)
  const withoutTax = net ?? (gross !== undefined ? sum([gross, -tax]) : usual.without_tax)
  return { with_tax: gross ?? sum([withoutTax, tax]), without_tax: withoutTax, tax }
}

const addsUp = ({ with_tax: gross, without_tax: net, tax }: TaxAmounts) =>
  gross === sum([net, tax]) && tax >= 0 && net >= 0
