import { isId } from '../../kernel/ids.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { Job } from '../../kernel/work/job.ts'
import { accessOf } from '../gateways/chapter.ts'
import type { GatewaySlug } from '../gateways/gateway-kinds.ts'
import type { Outcome, Receipt } from '../rules/gateway.ts'
import { isAnyUnknown } from '../transactions/transaction-events.ts'
import { receiptOf, type TransactionRow, transactions } from '../transactions/transactions.ts'
import { openGateway } from './find-gateway.ts'
import { readPayment } from './read-payment.ts'
import { settleRead } from './settle-outcome.ts'

/** A transaction of an order. */
interface TransactionRef {
  readonly orderId: string
  readonly transactionId: string
  /** Absent in jobs of earlier versions. */
  readonly gateway?: GatewaySlug
  /** When it was refunded: the refund may fail later. */
  readonly refundedAt?: string
}

const [secondMs, hourMs, dayMs] = [1_000, 3_600_000, 86_400_000]

/** Payments are followed for so long. A shopper who has not paid by then will not. */
const followedMaxMs = 7 * dayMs

/** Banks return refunds for so long. */
const refundsFollowedMaxMs = 30 * dayMs

/** A shopper who has to act at a screen, and has not for so long, has left. */
const abandonedAfterMs = dayMs

/**
 * When to read a pending payment of this age again: at twice its age, and hourly at most. A merchant may have no
 * webhooks, and a shopper may close the page between the payment and the confirm.
 */
export const nextReadMs = (ageMs: number): number | undefined =>
  ageMs > followedMaxMs ? undefined : Math.min(hourMs, Math.max(60 * secondMs, ageMs))

/** After a failed read: a gateway that is away for a moment does not delay the payment by an hour. */
export const afterFaultMs = (ageMs: number): number => Math.min(hourMs, Math.max(10 * secondMs, ageMs / 10))

/** Reads a payment at its gateway and settles it, as a confirm does. It moves no money, so it needs no intent. */
export const followPayment: Job<TransactionRef> = {
  name: 'transactions:follow-payment',
  attemptsMax: 25,
  callsOut: ({ gateway }) => gateway ?? '',
  async run(work, followed) {
    const row = await work.store.findWhole(transactions, followed.transactionId, [followed.orderId])
    if (row?.doc.reference === undefined) return
    const { refundedAt } = followed
    try {
      const { doc } = await readAndSettle(work, row)
      if (doc.status === 'pending') await followLater(work, row)
      if (refundedAt !== undefined) await followRefund(work, row, refundedAt)
    } catch (error) {
      work.instance.log.error({ err: error }, `the payment ${row.id} cannot be read at its gateway yet`)
      await later(work, row, afterFaultMs(ageMsOf(work, row)), refundedAt)
    }
  },
}

/** How a payment stands at its gateway. */
export async function readAtGateway(work: Work, gateway: GatewaySlug, receipt: Receipt): Promise<Outcome> {
  const access = await accessOf(work, gateway)
  return openGateway(access, work.instance.services).read(receipt)
}

/** As `readAtGateway`; cancels a payment that has failed, or that its shopper has abandoned. */
export async function readOrEnd(
  work: Work,
  gateway: GatewaySlug,
  receipt: Receipt,
  { ageMs, isForm }: { readonly ageMs: number; readonly isForm: boolean },
): Promise<Outcome> {
  const access = await accessOf(work, gateway)
  const isAbandoned = ageMs >= abandonedAfterMs
  return readPayment(openGateway(access, work.instance.services), receipt, { isForm, isAbandoned })
}

async function readAndSettle(
  work: Work,
  row: TransactionRow,
  isForm = row.hidden.is_form === true,
): Promise<TransactionRow> {
  const [gateway, receipt] = [row.doc.gateway, receiptOf(row)]
  const outcome = (await isAnyUnknown(work, [row.id]))
    ? await readAtGateway(work, gateway, receipt)
    : await readOrEnd(work, gateway, receipt, { ageMs: ageMsOf(work, row), isForm })
  const settled = await work.transaction((inside) => settleRead(inside, row, outcome))
  return settled?.row ?? row
}

/** More pending payments than a shopper has. */
const readMax = 10

/**
 * Reads the pending payments of an order, before another one: a challenge that the shopper has failed, or a form in
 * which a card was declined, must not stand in the way of another card. A gateway that is away decides nothing.
 */
export async function settlePending(work: Work, orderId: string): Promise<void> {
  if (!isId(orderId)) return
  const rows = await work.store.run(
    `SELECT id FROM order_transactions
     WHERE store_id = $1 AND order_id = $2 AND doc->>'status' = 'pending' AND doc->>'reference' IS NOT NULL
     ORDER BY created_at DESC, id DESC LIMIT ${readMax}`,
    orderId,
  )
  await Promise.all(
    rows.map(async ([id]) => {
      const row = await work.store.findWhole(transactions, id as string, [orderId])
      if (row?.doc.reference === undefined) return
      try {
        await readAndSettle(work, row, false)
      } catch (error) {
        work.instance.log.error({ err: error }, `the payment ${id} cannot be read at its gateway yet`)
      }
    }),
  )
}

/** How old a transaction or an order is. */
export const ageMsOf = ({ clock }: Work, { createdAt }: Pick<TransactionRow, 'createdAt'>): number =>
  clock.now().getTime() - new Date(createdAt).getTime()

/** Reads a pending payment again later, if the shopper may still pay it. */
export async function followLater(work: Work, row: TransactionRow): Promise<void> {
  const waitMs = nextReadMs(ageMsOf(work, row))
  if (waitMs !== undefined && row.doc.reference !== undefined) await later(work, row, waitMs)
}

/**
 * Reads a payment whose refund its gateway has taken after a day, and each time the refund is twice as old: a bank may
 * not take it, and a merchant may have no webhooks.
 */
export async function followRefund(work: Work, row: TransactionRow, refundedAt: string): Promise<void> {
  const ageMs = work.clock.now().getTime() - Date.parse(refundedAt)
  if (ageMs < refundsFollowedMaxMs) await later(work, row, Math.max(dayMs, ageMs), refundedAt)
}

/** Reads a payment as soon as a job can. */
export const followNow = (work: Work, row: TransactionRow): Promise<void> => later(work, row, 0)

function later(work: Work, row: TransactionRow, waitMs: number, refundedAt?: string): Promise<void> {
  const [{ id, doc }, [orderId = '']] = [row, row.scope]
  const at = new Date(work.clock.now().getTime() + waitMs)
  const followed: TransactionRef = {
    ...{ orderId, transactionId: id, gateway: doc.gateway },
    ...(refundedAt !== undefined && { refundedAt }),
  }
  const key = refundedAt === undefined ? `payment ${id}` : `refund of payment ${id}`
  return work.later(followPayment, followed, { key, at })
}
