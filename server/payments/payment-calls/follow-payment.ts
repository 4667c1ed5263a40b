import { isId } from '../../kernel/ids.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { GatewaySlug } from '../gateways/gateway-kinds.ts'
import { isAnyUnknown } from '../transactions/transaction-events.ts'
import { receiptOf, type TransactionRow, transactions } from '../transactions/transactions.ts'
import { ageMsOf, follow, nextReadMs } from './follow.ts'
import { readAtGateway } from './read-payment.ts'
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

const dayMs = 86_400_000

/** Banks return refunds for so long. */
const refundsFollowedMaxMs = 30 * dayMs

const { job, followIn } = follow<TransactionRef, TransactionRow>({
  name: 'transactions:follow-payment',
  key: ({ transactionId: id, refundedAt }) =>
    refundedAt === undefined ? `payment ${id}` : `refund of payment ${id}`,
  async find(work, { transactionId, orderId }) {
    const row = await work.store.findWhole(transactions, transactionId, [orderId])
    return row?.doc.reference === undefined ? undefined : row
  },
  since: ({ createdAt }) => createdAt,
  async read(work, row, { refundedAt }) {
    const { doc } = await readAndSettle(work, row)
    if (doc.status === 'pending') return nextReadMs(ageMsOf(work, row.createdAt))
    return refundedAt === undefined ? undefined : nextReadOfRefundMs(ageMsOf(work, refundedAt))
  },
})

/** Reads a payment at its gateway and settles it, as a confirm does. */
export const followPayment = job

async function readAndSettle(
  work: Work,
  row: TransactionRow,
  isForm = row.hidden.is_form === true,
): Promise<TransactionRow> {
  const isUnknown = await isAnyUnknown(work, [row.id])
  const patience = isUnknown ? undefined : { isForm, ageMs: ageMsOf(work, row.createdAt) }
  const outcome = await readAtGateway(work, row.doc.gateway, receiptOf(row), patience)
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

/** Reads a pending payment again later, if the shopper may still pay it. */
export async function followLater(work: Work, row: TransactionRow): Promise<void> {
  const waitMs = nextReadMs(ageMsOf(work, row.createdAt))
  if (waitMs !== undefined && row.doc.reference !== undefined) await followIn(work, waitMs, refOf(row))
}

/**
 * A payment whose refund its gateway has taken is read after a day, and each time the refund is twice as old: a bank
 * may not take it, and a merchant may have no webhooks.
 */
const nextReadOfRefundMs = (ageMs: number): number | undefined =>
  ageMs < refundsFollowedMaxMs ? Math.max(dayMs, ageMs) : undefined

/** Reads a payment that has just been refunded again, since the refund may fail. */
export const followRefund = (work: Work, row: TransactionRow): Promise<void> =>
  followIn(work, dayMs, { ...refOf(row), refundedAt: work.clock.now().toISOString() })

/** Reads a payment as soon as a job can. */
export const followNow = (work: Work, row: TransactionRow): Promise<void> => followIn(work, 0, refOf(row))

const refOf = ({ id, doc, scope: [orderId = ''] }: TransactionRow): TransactionRef => ({
  ...{ orderId, transactionId: id, gateway: doc.gateway },
})
