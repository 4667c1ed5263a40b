import { type Cart, handOver } from '../../carts/index.ts'
import { newId } from '../../kernel/ids.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import type { Buyer } from '../buyer/buyer.ts'
import type { Address } from '../order/addresses.ts'
import type { OrderContents } from '../order/order-contents.ts'
import type { OrderRow } from '../order/orders.ts'
import type { OrderShippingGroup } from '../order/shipping-groups.ts'
import { addOrder } from './add-order.ts'
import { type PricedOrder, priceOrder } from './price-order.ts'

/** What a checkout says beside the cart. */
export interface CheckoutValues {
  readonly order_number: string | undefined
  readonly external_ref: string | undefined
  readonly billing_address: Address
  readonly shipping_address: Address
}

/** A new order, and the cart that it was made of. */
export interface PlacedOrder {
  readonly row: OrderRow
  readonly priced: PricedOrder['priced']
  readonly contents: PricedOrder['contents']
  /** The contents of the order. */
  readonly frozen: OrderContents
}

/**
 * Makes an order of a cart that the caller has locked: the order, its contents and the uses of codes, in one
 * transaction. `request` is a hash of the body: the same one again gets the same order.
 */
export async function placeOrder(
  ctx: Ctx,
  cart: Cart,
  buyer: Buyer,
  { values, request }: { readonly values: CheckoutValues; readonly request: string },
): Promise<PlacedOrder> {
  const orderId = newId()
  const priced = await priceOrder(ctx, cart, buyer, orderId)
  const left = await handOver(ctx, cart)
  const frozen = freeze(priced)
  const row = await addOrder(ctx, orderId, {
    ...{ buyer, contents: frozen },
    values: {
      ...values,
      custom_attributes: cart.doc.custom_attributes,
      payment_intent_id: cart.doc.payment_intent_id,
      shipping_groups: groupsOf(frozen),
      cart: { id: cart.id, version: left.version, request },
    },
  })
  return { row, priced: priced.priced, contents: priced.contents, frozen }
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
