import type { Work } from '../../kernel/work/context.ts'
import { newTransaction, type OrderRow, orders, type WholeOrder } from '../../orders/index.ts'
import type { GatewaySlug } from '../gateways/gateway-kinds.ts'
import type { Outcome } from '../rules/gateway.ts'
import {
  type CartPayment,
  deleteUnlinked,
  findCartPayment,
  moveCartPayment,
  recordMoneyOfCart,
} from './cart-payments.ts'
import { ageMsOf, follow, nextReadMs } from './follow.ts'
import { readAtGateway } from './read-payment.ts'
import { recordCartPayment, type WhenRefused } from './record-cart-payment.ts'
import { settleRead } from './settle-outcome.ts'

interface CartPaymentRef {
  readonly reference: string
  readonly gateway: GatewaySlug
  /** Absent until the cart has become an order, which has a job of its own. */
  readonly orderId?: string | undefined
}

interface FollowedPayment {
  readonly payment: CartPayment
  readonly since: string
  readonly order: WholeOrder | undefined
}

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000]

/**
 * Reads a payment that began with a cart, and records what has become of it: a shopper may pay and close the page
 * before the checkout, before the storefront confirms the order, or before paying.
 */
const { job, followIn } = follow<CartPaymentRef, FollowedPayment>({
  name: 'payments:follow-cart-payment',
  key: ({ reference, orderId }) =>
    orderId === undefined ? `payment ${reference} of a cart` : `payment ${reference} of order ${orderId}`,
  async find(work, { reference, orderId }) {
    const payment = await findCartPayment(work, reference)
    if (!payment || payment.orderId !== orderId) return undefined
    const order = orderId === undefined ? undefined : await work.store.findWhole(orders, orderId)
    return { payment, order, since: order?.createdAt ?? payment.pricedAt }
  },
  since: ({ since }) => since,
  read: (work, { payment, order, since }) =>
    order ? readOfOrder(work, payment, order) : readOfCart(work, payment, ageMsOf(work, since)),
})

export const followCartPayment = job

/** Follows a payment that a cart has just got, or whose amount has changed. */
export const followPaymentOfCart = (work: Work, reference: string, gateway: GatewaySlug): Promise<void> =>
  followIn(work, minuteMs, { reference, gateway })

/** Reads a payment that began with a cart as soon as a job can. */
export async function followCartPaymentNow(work: Work, reference: string): Promise<void> {
  const payment = await findCartPayment(work, reference)
  if (payment) await followIn(work, 0, { reference, gateway: payment.gateway, orderId: payment.orderId })
}

/** Gives the payment of a cart to the order that a checkout has just made. */
export async function followPaymentOfOrder(work: Work, { id, doc }: OrderRow): Promise<void> {
  const { payment_intent_id: reference = '' } = doc
  const gateway = await moveCartPayment(work, reference, id)
  if (gateway) await followIn(work, minuteMs, { reference, gateway, orderId: id })
}

/** It is read at twice its age, because most carts are never paid, and hourly once it is paid. */
async function readOfCart(work: Work, payment: CartPayment, ageMs: number): Promise<number | undefined> {
  const { reference, amount, gateway } = payment
  const outcome = await readAtGateway(work, gateway, { reference, amount, refundedAmount: 0 })
  const held = amountIn(outcome, payment)
  await recordMoneyOfCart(work, reference, held)
  if (held > 0) return hourMs
  if (!outcome.reports.length && ageMs < dayMs) return Math.max(minuteMs, ageMs)
  return (await deleteUnlinked(work, reference)) ? undefined : Math.max(dayMs, ageMs)
}

/** How much the gateway has received or holds, and has not returned. */
function amountIn({ reports }: Outcome, { amount }: CartPayment): number {
  const money = reports.find(({ is }) => is === 'paid' || is === 'authorized')
  if (!money) return 0
  const returned = reports.reduce((sum, one) => (one.is === 'refunded' ? one.amount : sum), 0)
  return (money.is === 'paid' ? (money.amount ?? amount) : amount) - returned
}

async function readOfOrder(
  work: Work,
  { reference, gateway }: CartPayment,
  order: WholeOrder,
): Promise<number | undefined> {
  const amount = order.hidden.prices.with_tax
  const ageMs = ageMsOf(work, order.createdAt)
  const outcome = await readAtGateway(
    work,
    gateway,
    { reference, amount, refundedAmount: 0 },
    { isForm: true, ageMs },
  )
  if (!outcome.reports.length) return nextReadMs(ageMs)
  return work.transaction(async (inside) => {
    const row = await recordCartPayment(inside, order.id, whenRefused(amount, outcome))
    if (row) await settleRead(inside, row, outcome)
    return (await findCartPayment(inside, reference)) && nextReadMs(ageMs)
  })
}

/**
 * An order that was paid in another way or cancelled does not take the payment: money for it is a cancelled transaction
 * that the merchant has to look at. Another payment that is pending may fail, so this one waits for it.
 */
const whenRefused =
  (owed: number, { reports }: Outcome): WhenRefused =>
  ({ reason }) => {
    if (reason === 'balance-pending') return 'wait'
    const [money] = reports.filter(({ is }) => is === 'paid' || is === 'authorized')
    if (!money) return undefined
    const amount = money.is === 'paid' ? money.amount : undefined
    return { ...newTransaction('purchase_setup', amount ?? owed), status: 'cancelled' }
  }
