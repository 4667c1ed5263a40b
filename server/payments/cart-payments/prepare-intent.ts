import { type Cart, findCart, lockCart } from '../../carts/index.ts'
import { Problem } from '../../kernel/errors.ts'
import type { Ctx, Work } from '../../kernel/work/context.ts'
import type { PaymentMethod } from '../../orders/index.ts'
import type { GatewaySlug } from '../gateways/gateway-kinds.ts'
import { type CartPayment, findCartPayment } from '../payment-calls/cart-payments.ts'
import { mustTakePayment, settingsOf } from '../payment-calls/find-gateway.ts'
import type { Charge } from '../rules/gateway.ts'
import { findOrderSince } from './find-order-since.ts'
import { type IntentRequest, receivedAs } from './intent-call.ts'

/** What a request says about the payment of a cart. */
interface CartPaymentRequest extends Pick<Charge, 'method' | 'payment' | 'options' | 'paymentMethodTypes'> {
  readonly gateway: GatewaySlug
}

/** A cart that costs something, locked, with what it costs now. */
export async function cartToPay(ctx: Ctx, name: string): Promise<Cart> {
  const locked = await lockCart(ctx, name)
  if (!locked?.inside.contents.lines.length) {
    throw new Problem('bad_request', 'The cart is empty. Add an item first.', { title: 'Empty cart' })
  }
  const cart = await findCart(ctx, name)
  if (cart.inside.priced.prices.with_tax > 0) return cart
  const detail = 'The cart costs nothing. Check it out, and pay the order with the gateway manual.'
  throw new Problem('unprocessable', detail, { source: 'data' })
}

/** What a request says about the intent of a cart. */
interface WantedPayment {
  readonly gateway?: GatewaySlug | undefined
  readonly method?: PaymentMethod | undefined
  readonly amount?: number | undefined
}

/**
 * Refuses a request for another payment than the cart has or gets. Its intent keeps its gateway, and whether it is
 * received or held; its amount is always what the cart costs. Returns the payment that the cart has.
 */
export async function mustFitCart(
  work: Work,
  { doc, inside }: Cart,
  { gateway, method, amount }: WantedPayment,
): Promise<CartPayment | undefined> {
  const total = inside.priced.prices.with_tax
  if (amount !== undefined && amount !== total) {
    const detail = `data.amount must be ${total}, which the cart costs, or be left out.`
    throw new Problem('unprocessable', detail, { source: 'data.amount' })
  }
  if (doc.payment_intent_id === undefined) return undefined
  const kept = await findCartPayment(work, doc.payment_intent_id)
  if (gateway !== undefined && gateway !== kept?.gateway) throw otherThan('gateway', kept?.gateway)
  if (method !== undefined && kept?.method !== undefined && receivedAs(method) !== kept.method) {
    throw otherThan('method', kept.method)
  }
  return kept
}

const otherThan = (name: 'gateway' | 'method', kept: string | undefined): Problem =>
  new Problem(
    'conflict',
    `data.${name} must be ${kept}, as the cart has a payment intent with it. To begin another payment, remove the intent first: PUT /v2/carts/{id} with an empty payment_intent_id.`,
    { source: `data.${name}` },
  )

/** Checks the payment of a cart, and says what the gateway is asked. A cart has one intent: it gets a new amount. */
export async function prepareIntent(
  ctx: Ctx,
  cart: Cart,
  payment: CartPaymentRequest,
): Promise<IntentRequest> {
  const { priced } = cart.inside
  const { payment_intent_id: intentId } = cart.doc
  const { gateway, method, ...others } = payment
  const { code: currency, decimal_places: decimalPlaces } = priced.currency
  const charge: Charge = {
    ...others,
    // The browser of the shopper pays; this request only says what.
    method: `${receivedAs(method)}_setup`,
    ...{ amount: priced.prices.with_tax, currency, decimalPlaces },
    metadata: { cart_id: cart.doc.id ?? cart.id },
  }
  const settings = await settingsOf(ctx, gateway)
  mustTakePayment(ctx, { gateway, ...charge, total: charge.amount }, settings)
  const cartName = cart.doc.id ?? cart.id
  const [cartId, cartVersion] = [cart.id, cart.version]
  const orderId = await findOrderSince(ctx, { cartId, cartVersion })
  return {
    ...{ gateway, cartId, cartName, charge, cartVersion, orderId },
    ...(intentId !== undefined && { intentId }),
  }
}
