import type { CartLine, CartPrice, LinePrice } from '../../carts/index.ts'
import { newId } from '../../kernel/ids.ts'
import type { OrderContents } from '../../orders/index.ts'
import type { Notation } from '../../store/index.ts'
import { type ItemPrices, pricesOfItem, pricesOfOrder } from './amounts.ts'
import type { ManualItem, ManualOrderBody } from './fields.ts'

/** The order that a seller enters, with what its contents depend on. */
interface ManualOrderRequest {
  readonly body: ManualOrderBody
  readonly items: readonly ManualItem[]
  readonly currency: Notation
  readonly now: string
}

/** The contents of an order that a seller enters. It takes no stock, and no promotion applies to it. */
export function contentsOf({ body, items, currency, now }: ManualOrderRequest): OrderContents {
  const prices = items.map((item, i) =>
    pricesOfItem(amountsOf(item), `included.items.${i}.meta.display_price`),
  )
  const sent = amountsIn(body.meta?.display_price ?? {}) as Partial<Record<CartPrice, number>>
  return {
    contents: {
      currency: currency.code,
      lines: items.map((item, i) => lineOf(item, prices[i] as ItemPrices, now)),
      ...{ codes: [], customDiscounts: [], shippingGroups: [] },
    },
    priced: {
      ...{ currency, state: '', prices: pricesOfOrder(prices, sent, 'data.meta.display_price') },
      lines: prices.map((one) => ({ ...one, discounts: [], taxes: [] })),
      ...{ promotionItems: [], shippingGroups: [], messages: [], suggestions: [], promotions: [] },
    },
    ...{ portions: [], cartItems: {} },
  }
}

type Amount = { readonly amount?: number | undefined } | undefined

/** The amounts by their names. */
const amountsIn = (prices: Readonly<Record<string, Amount>>): Readonly<Record<string, number | undefined>> =>
  Object.fromEntries(Object.entries(prices).map(([name, price]) => [name, price?.amount]))

const includesTax = ({ unit_price: price, value }: ManualItem): boolean =>
  [price, value].some((one) => one?.includes_tax ?? one?.include_tax)

/** An item without a price is free, unless its amounts say otherwise. */
function unitPriceOf({ unit_price: price, value, quantity }: ManualItem): number {
  if (price) return price.amount
  return value ? Math.round(value.amount / quantity) : 0
}

function amountsOf(item: ManualItem) {
  const shown = Object.entries(item.meta?.display_price ?? {}) as [
    LinePrice,
    { unit?: Amount; value?: Amount } | undefined,
  ][]
  const part = (name: 'unit' | 'value') =>
    Object.fromEntries(shown.map(([price, parts]) => [price, parts?.[name]?.amount])) as Partial<
      Record<LinePrice, number>
    >
  return {
    quantity: item.quantity,
    unitPrice: unitPriceOf(item),
    value: item.value?.amount,
    includesTax: includesTax(item),
    units: part('unit'),
    values: part('value'),
  }
}

function lineOf(item: ManualItem, { value }: ItemPrices, now: string): CartLine {
  const { name, description = '', sku = '', quantity, product_id: productId, location } = item
  const amount = item.unit_price?.amount ?? Math.round(value / quantity)
  const line = {
    ...{ id: newId(), addedAt: now, updatedAt: now },
    ...{ name, description, sku, quantity, slug: '', image: undefined },
    unit: { amount, includesTax: includesTax(item) },
    ...{ taxes: [], customDiscounts: [] },
  }
  if (productId === undefined) return { kind: 'custom_item', ...line }
  const facts = { catalogId: undefined, nodeIds: [], attributes: {} }
  return { kind: 'cart_item', ...line, productId, location, facts, isTracked: false, isForSale: true }
}
