import { action } from '../../kernel/declare/action.ts'
import { object } from '../../kernel/openapi/shapes.ts'
import { json } from '../../kernel/shape/answer.ts'
import type { Work } from '../../kernel/work/context.ts'
import { concerns } from '../transactions/concerns.ts'
import { gatewayVerbs } from '../transactions/transaction-events.ts'
import { findUnclaimed } from './cart-payments.ts'

const listedMax = 1000
/** A call that is younger may only be slow. */
const openMinMs = 60_000

/** What a person has to look at: payments whose outcome is unknown, and money that has moved where it should not. */
export const listOpenPayments = action({
  name: 'list-open-payments',
  route: 'GET /v2/open-payments',
  about:
    'Lists the payments that a person has to look at, the oldest first, at most 1000: requests to gateways that have had no answer for a minute (`no_answer`), and money that has moved for an order that is cancelled (`order_cancelled`) or sold out (`no_stock`), for a transaction that has failed or was cancelled, or that the order did not owe (`ended`), beyond what the order owed (`overpaid`), or back from a refund that failed (`refund_failed`); and money for a cart that no order was made of (`no_order`).',
  area: 'transactions',
  status: 200,
  shows: {
    data: {
      type: 'array',
      items: object(
        {
          type: { const: 'open_payment' },
          id: { type: 'string', format: 'uuid', description: 'The id of the transaction, if there is one.' },
          order_id: { type: 'string', format: 'uuid' },
          cart_id: { type: 'string', description: 'Of `no_order`: the id of the cart.' },
          reason: { enum: ['no_answer', ...concerns, 'no_order'] },
          request: { enum: gatewayVerbs, description: 'What the gateway was asked, if it has not answered.' },
          since: { type: 'string', format: 'date-time' },
          ...{ gateway: { type: 'string' }, reference: { type: 'string' }, status: { type: 'string' } },
          ...{ amount: { type: 'integer' }, currency: { type: 'string' } },
          excess: { type: 'integer', description: 'Of `overpaid`: how much to return.' },
        },
        ['type', 'id', 'reason', 'since', 'gateway', 'amount', 'currency'],
      ),
    },
  },
  async run(ctx) {
    const lists = [await findUnanswered(ctx), await findConcerns(ctx), await findUnclaimed(ctx, listedMax)]
    const all = lists.flat().sort((one, other) => (one.since < other.since ? -1 : 1))
    return json(200, { data: all.slice(0, listedMax) })
  },
})

async function findUnanswered(work: Work) {
  const rows = await work.store.run(
    `SELECT t.id, t.order_id, t.doc, e.verb, extract(epoch FROM e.asked_at) * 1000
     FROM transaction_events e JOIN order_transactions t ON t.store_id = e.store_id AND t.id = e.transaction_id
     WHERE e.store_id = $1 AND e.answer IS NULL AND e.asked_at < $2 ORDER BY e.asked_at, e.id LIMIT ${listedMax}`,
    new Date(work.clock.now().getTime() - openMinMs),
  )
  return rows.map((row) => ({
    ...{ ...shown(row), reason: 'no_answer', request: row[3], since: new Date(Number(row[4])).toISOString() },
  }))
}

async function findConcerns(work: Work) {
  const rows = await work.store.run(
    `SELECT id, order_id, doc, hidden->>'concern', extract(epoch FROM updated_at) * 1000, hidden#>>'{excess,open}' FROM order_transactions
     WHERE store_id = $1 AND hidden->>'concern' IS NOT NULL ORDER BY updated_at, id LIMIT ${listedMax}`,
  )
  return rows.map((row) => {
    const [reason, updatedAtMs, excess] = row.slice(3)
    return {
      ...{ ...shown(row), reason, since: new Date(Number(updatedAtMs)).toISOString() },
      ...(reason === 'overpaid' && { excess: Number(excess) }),
    }
  })
}

function shown([id, orderId, doc]: readonly (string | null)[]) {
  const { gateway, status, reference, amount, currency } = JSON.parse(doc as string) as Record<
    string,
    unknown
  >
  return {
    ...{ type: 'open_payment', id, order_id: orderId, gateway, status },
    ...(reference !== undefined && { reference }),
    ...{ amount, currency },
  }
}
