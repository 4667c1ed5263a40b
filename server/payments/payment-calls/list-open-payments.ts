import { action } from '../../kernel/declare/action.ts'
import type { DatabaseFigure } from '../../kernel/metrics/database-figures.ts'
import { json } from '../../kernel/shape/answer.ts'
import { about, optional, shown } from '../../kernel/shape/shown.ts'
import {
  columns,
  instant,
  number,
  optional as orUndefined,
  json as parsed,
} from '../../kernel/storage/columns.ts'
import type { Work } from '../../kernel/work/context.ts'
import { concerns } from '../transactions/concerns.ts'
import { gatewayVerbs } from '../transactions/transaction-events.ts'
import { checkoutMaxMs, findUnclaimed } from './cart-payments.ts'

const listedMax = 1000
/** A call that is younger may only be slow. */
const openMinMs = 60_000

const openPayment = shown.group({
  type: shown.constant('open_payment'),
  id: about('The id of the transaction, if there is one.', shown.uuid),
  order_id: optional(shown.uuid),
  cart_id: optional(about('Of `no_order`: the id of the cart.', shown.text)),
  reason: shown.constant('no_answer', ...concerns, 'no_order'),
  request: optional(
    about('What the gateway was asked, if it has not answered.', shown.constant(...gatewayVerbs)),
  ),
  since: shown.time,
  gateway: shown.text,
  reference: optional(shown.text),
  status: optional(shown.text),
  amount: shown.integer,
  currency: shown.text,
  excess: optional(about('Of `overpaid`: how much to return.', shown.integer)),
})

/** What a person has to look at: payments whose outcome is unknown, and money that has moved where it should not. */
export const listOpenPayments = action({
  name: 'list-open-payments',
  route: 'GET /v2/open-payments',
  about:
    'Lists the payments that a person has to look at, the oldest first, at most 1000: requests to gateways that have had no answer for a minute (`no_answer`), and money that has moved for an order that is cancelled (`order_cancelled`) or sold out (`no_stock`), for a transaction that has failed or was cancelled, or that the order did not owe (`ended`), beyond what the order owed (`overpaid`), or back from a refund that failed (`refund_failed`); and money for a cart that no order was made of (`no_order`).',
  area: 'transactions',
  status: 200,
  shows: { data: shown.list(openPayment) },
  async run(ctx) {
    const lists = [await findUnanswered(ctx), await findConcerns(ctx), await findUnclaimed(ctx, listedMax)]
    const all = lists.flat().sort((one, other) => (one.since < other.since ? -1 : 1))
    return json(200, { data: all.slice(0, listedMax) })
  },
})

const transactionColumns = {
  id: 't.id',
  orderId: 't.order_id',
  doc: ['t.doc', parsed<Readonly<Record<string, unknown>>>],
} as const

const unansweredColumns = columns({ ...transactionColumns, verb: 'e.verb', askedAt: instant('e.asked_at') })

async function findUnanswered(work: Work) {
  const rows = await work.store.run(
    `SELECT ${unansweredColumns.sql}
     FROM transaction_events e JOIN order_transactions t ON t.store_id = e.store_id AND t.id = e.transaction_id
     WHERE e.store_id = $1 AND e.answer IS NULL AND e.asked_at < $2 ORDER BY e.asked_at, e.id LIMIT ${listedMax}`,
    new Date(work.clock.now().getTime() - openMinMs),
  )
  return rows.map(unansweredColumns.read).map((one) => ({
    ...{ ...show(one), reason: 'no_answer', request: one.verb, since: one.askedAt },
  }))
}

const concernColumns = columns({
  ...transactionColumns,
  reason: "t.hidden->>'concern'",
  updatedAt: instant('t.updated_at'),
  excess: ["t.hidden#>>'{excess,open}'", orUndefined(number)],
})

async function findConcerns(work: Work) {
  const rows = await work.store.run(
    `SELECT ${concernColumns.sql} FROM order_transactions t
     WHERE t.store_id = $1 AND t.hidden->>'concern' IS NOT NULL ORDER BY t.updated_at, t.id LIMIT ${listedMax}`,
  )
  return rows.map(concernColumns.read).map((one) => ({
    ...{ ...show(one), reason: one.reason, since: one.updatedAt },
    ...(one.reason === 'overpaid' && { excess: one.excess }),
  }))
}

interface StoredTransaction {
  readonly id: string
  readonly orderId: string
  readonly doc: Readonly<Record<string, unknown>>
}

function show({ id, orderId, doc }: StoredTransaction) {
  const { gateway, status, reference, amount, currency } = doc
  return {
    ...{ type: 'open_payment', id, order_id: orderId, gateway, status },
    ...(reference !== undefined && { reference }),
    ...{ amount, currency },
  }
}

const before = (ms: number) => `now() - ${ms} * interval '1 ms'`

/** As `GET /v2/open-payments` lists them, of all stores. */
export const openPaymentFigures: readonly DatabaseFigure[] = [
  {
    name: 'sutler_open_payments',
    about: 'Payments that a person has to look at: GET /v2/open-payments lists them.',
    label: 'reason',
    sql: `SELECT 'no_answer', count(*) FROM transaction_events
        WHERE answer IS NULL AND asked_at < ${before(openMinMs)}
      UNION ALL SELECT hidden->>'concern', count(*) FROM order_transactions
        WHERE hidden->>'concern' IS NOT NULL GROUP BY 1
      UNION ALL SELECT 'no_order', count(*) FROM cart_payments
        WHERE held_since < ${before(checkoutMaxMs)} AND order_id IS NULL`,
  },
]
