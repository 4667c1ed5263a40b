import { hash } from 'node:crypto'
import {
  type Cart,
  lockCart,
  messages,
  messagesOfChange,
  mustHaveRight,
  mustOrderAsOwner,
  otherCurrency,
  shopperIn,
} from '../../carts/index.ts'
import { action } from '../../kernel/declare/action.ts'
import { hook } from '../../kernel/declare/hook.ts'
import { notFound, Problem } from '../../kernel/errors.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { text, type Values } from '../../kernel/shape/fields.ts'
import { optional, type ShownValue, shown } from '../../kernel/shape/shown.ts'
import type { Ctx, Work } from '../../kernel/work/context.ts'
import { buyerFields, findBuyer, lockBuyer } from '../buyer/buyer.ts'
import { showsBuyerTo, withoutBuyer } from '../buyer/show-buyer.ts'
import { address, addressExample, mustBeWhole, wholeAddress } from '../order/addresses.ts'
import { included, includedText } from '../order/included.ts'
import type { OrderContents } from '../order/order-contents.ts'
import { type OrderRow, orders } from '../order/orders.ts'
import { type CheckoutValues, type PlacedOrder, placeOrder } from './place-order.ts'

const byRight =
  'Only sellers can set it, unless `shoppers_set_order_references` of the cart settings lets shoppers.'

const fields = {
  order_number: text({
    max: 64,
    about: `A number of your own for the order. It need not be unique. ${byRight}`,
  }),
  external_ref: text({ max: 64, about: `The id of the order in another system. ${byRight}` }),
  ...buyerFields,
  billing_address: address({
    required: true,
    about: 'Who pays. It needs a region or a county.',
    example: addressExample,
    checkedByRule: wholeAddress,
  }),
  shipping_address: address({
    about: 'Where the order is shipped; the billing address by default. It needs a region or a county.',
    checkedByRule: wholeAddress,
  }),
}

/** Follows the payment intent of an order that has one from its cart. */
export const followIntentOf = hook<(work: Work, order: OrderRow) => Promise<void>>('followIntentOf')

/** Makes an order of a cart. */
export const checkout = action({
  name: 'checkout',
  route: 'POST /v2/carts/:cart_id/checkout',
  about:
    'Makes an order of a cart: checks the stock, counts the uses of codes and keeps all prices as they are now. The cart keeps its items. The same request for a cart that has not changed since returns the same order; another request for it is refused (409).',
  area: 'carts',
  status: 201,
  params: {},
  queuesBy: 'cart_id',
  body: { type: 'order', alsoType: ['checkout', 'cart'], typeOptional: true, fields },
  refuses: ['conflict'],
  shows: {
    resource: orders,
    beside: { included, meta: shown.group({ messages: optional(messages) }) },
  },
  async run(ctx, { params, body, rawBody, headers }) {
    const lockedIds = await lockBuyer(ctx, body)
    const [found, earlierId] = await Promise.all([
      lockCart(ctx, params.cart_id),
      findOrderOf(ctx, params.cart_id),
    ])
    if (found) mustOrderAsOwner(ctx, found)
    const cart = mustBeReady(found, shopperIn(headers).currency)
    const request = hash('sha256', JSON.stringify(rawBody))
    if (earlierId !== undefined) return answer(ctx, await mustBeSame(ctx, earlierId, request))
    const values = valuesOf(body)
    for (const name of ['order_number', 'external_ref'] as const) {
      if (body[name]) await mustHaveRight(ctx, 'shoppers_set_order_references', `data.${name}`)
    }
    const buyer = await findBuyer(ctx, body, lockedIds)
    const placed = await placeOrder(ctx, cart, buyer, { values, request })
    if (placed.row.doc.payment_intent_id !== undefined) await followIntentOf(ctx, placed.row)
    return answer(ctx, placed.row, placed.frozen, messagesIn(cart, placed))
  },
})

/** Refuses a cart that cannot be ordered. */
function mustBeReady(cart: Cart | undefined, currency: string | undefined): Cart {
  if (!cart?.inside.contents.lines.length) {
    throw new Problem('bad_request', 'The cart is empty. Add an item first.', { title: 'Empty cart' })
  }
  if (cart.doc.snapshot_date !== undefined) {
    const detail = 'A cart with a snapshot date is a preview and cannot be checked out. Create another cart.'
    throw new Problem('bad_request', detail, { title: 'Snapshot cart' })
  }
  const own = cart.inside.contents.currency
  if (currency !== undefined && own !== undefined && currency !== own) {
    throw otherCurrency(own, currency, 'X-Moltin-Currency')
  }
  return cart
}

/** The id of the order that this version of the cart has made. It goes in the message of the lock, behind it. */
async function findOrderOf({ store }: Ctx, cartName: string): Promise<string | undefined> {
  const [row] = await store.run(
    `SELECT o.id FROM carts c JOIN orders o ON o.store_id = $1 AND o.cart_id = c.id AND o.cart_version = c.version
     WHERE c.store_id = $1 AND c.reference = $2`,
    cartName,
  )
  return row?.[0] ?? undefined
}

/** The order of a cart, for the request that has made it. Another request is refused. */
async function mustBeSame(ctx: Ctx, orderId: string, request: string): Promise<OrderRow> {
  const row = await ctx.store.findWhole(orders, orderId)
  if (!row) throw notFound('order', orderId)
  if (row.hidden.cart?.request === request) return row
  const detail = `The cart has become order ${row.id} and has not changed since. Change the cart to order again.`
  throw new Problem('conflict', detail, { meta: { order_id: row.id } })
}

function valuesOf(body: Values<typeof fields>): CheckoutValues {
  const { billing_address: billing, shipping_address: shipping = billing } = body
  mustBeWhole(billing, 'data.billing_address')
  mustBeWhole(shipping, 'data.shipping_address')
  return {
    order_number: body.order_number,
    external_ref: body.external_ref,
    billing_address: billing,
    shipping_address: shipping,
  }
}

type ShownMessages = ShownValue<typeof messages>

/** What has fallen away since the shopper saw the cart. */
const messagesIn = ({ inside }: Cart, { contents, priced }: PlacedOrder): ShownMessages => [
  ...messagesOfChange(inside, { contents, priced }),
  ...priced.messages,
]

async function answer(ctx: Ctx, row: OrderRow, contents?: OrderContents, fallen: ShownMessages = []) {
  const known = contents && new Map([[row.id, contents]])
  const more = await includedText(ctx, row, { names: ['items'], known })
  const meta = fallen.length ? `,"meta":${JSON.stringify({ messages: fallen })}` : ''
  const shown = showsBuyerTo(ctx, row) ? row : withoutBuyer(row)
  return objectAnswer(201, orders, shown, ctx, more + meta)
}
