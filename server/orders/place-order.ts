import { type CartRow, handOver } from '../carts/index.ts'
import { newId } from '../kernel/ids.ts'
import type { Ctx } from '../kernel/work/context.ts'
import { add } from '../kernel/write/by-rules.ts'
import { unpaid } from '../payments/index.ts'
import type { Address } from './addresses.ts'
import type { Buyer } from './buyer.ts'
import { insertContents, type OrderContents } from './order-contents.ts'
import { type OrderRow, orders } from './orders.ts'
import { type PricedOrder, priceOrder } from './price-order.ts'
import type { OrderShippingGroup } from './shipping-groups.ts'
import { noStock } from './stock-of-order.ts'

/** What a checkout says beside the cart. */
export interface CheckoutValues {
  readonly order_number: string | undefined
  readonly external_ref: string | undefined
  readonly billing_address: Address
  readonly shipping_address: Address
}

export interface Placed {
  readonly row: OrderRow
  readonly priced: PricedOrder['priced']
  readonly contents: PricedOrder['contents']
}

/**
 * Makes an order of a cart that the caller has locked: the order, its contents and the uses of codes, in one
 * transaction. `request` is a hash of the body: the same one again gets the same order.
 */
export async function placeOrder(
  ctx: Ctx,
  cart: CartRow,
  buyer: Buyer,
  { values, request }: { readonly values: CheckoutValues; readonly request: string },
): Promise<Placed> {
  const orderId = newId()
  const priced = await priceOrder(ctx, cart, buyer, orderId)
  const left = await handOver(ctx, cart)
  const contents = freeze(priced)
  const { customerId, accountId, accountMemberId, customer, contact } = buyer
  const row = await add(
    ctx,
    orders,
    [],
    {
      ...values,
      ...{ customer, contact },
      custom_attributes: cart.doc.custom_attributes,
      payment_intent_id: cart.doc.payment_intent_id,
      currency: priced.priced.currency,
      prices: priced.priced.prices,
      with_tax: priced.priced.prices.with_tax,
      payments: unpaid,
      stock: noStock,
      ...{ customer_id: customerId, account_id: accountId, account_member_id: accountMemberId },
      shipping_groups: groupsOf(contents),
      ...idsOf(contents),
      cart: { id: cart.id, version: left.version, request },
    } as never,
    orderId,
  )
  await insertContents(ctx.store, orderId, contents)
  return { row, priced: priced.priced, contents: priced.contents }
}

/** The contents of the cart under ids of the order. */
function freeze({ contents, priced, portions }: PricedOrder): OrderContents {
  const lines = contents.lines.map((line) => ({ ...line, id: newId() }))
  return {
    contents: { ...contents, lines },
    priced: {
      ...priced,
      messages: [],
      suggestions: [],
      promotionItems: priced.promotionItems.map((item) => ({ ...item, id: newId() })),
    },
    portions,
    cartItems: Object.fromEntries(
      lines.map(({ id, kind }, i) => [id, { type: kind, id: contents.lines[i]?.id ?? '' }]),
    ),
  }
}

const groupsOf = ({ contents, priced }: OrderContents): readonly OrderShippingGroup[] =>
  contents.shippingGroups.flatMap((group) => {
    const totals = priced.shippingGroups.find(({ id }) => id === group.id)
    return totals ? [{ group, totals }] : []
  })

const unique = (texts: readonly string[]): readonly string[] => [...new Set(texts)]

/** What an order is found by, and what its relationships name. */
function idsOf({ contents, priced }: OrderContents) {
  const { lines, customDiscounts } = contents
  return {
    item_ids: [...lines, ...priced.promotionItems].map(({ id }) => id),
    custom_discount_ids: [...lines.flatMap((line) => line.customDiscounts), ...customDiscounts].map(
      ({ id }) => id,
    ),
    promotion_ids: unique(priced.promotions.map(({ id }) => id)),
    product_ids: unique(lines.flatMap((line) => (line.kind === 'cart_item' ? line.productId : []))),
    product_skus: unique(lines.flatMap(({ sku }) => sku || [])),
  }
}
