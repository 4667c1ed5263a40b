import { columns, json, number } from '../../server/kernel/storage/columns.ts'
import type { Connection, Database } from '../../server/kernel/storage/database.ts'
import { paymentOf, type Transaction } from '../../server/orders/index.ts'
import type { Progress } from '../progress.ts'
import { type CheckResult, Findings, inOneMoment } from './check.ts'

const page = 1000

const orderColumns = columns({
  storeId: 'o.store_id',
  id: 'o.id',
  total: ['o.with_tax', number],
  stored:
    "o.payment || ' (paid ' || o.paid || ', authorized ' || o.authorized || ', pending ' || o.pending || ')'",
  transactions: ['t.list', json<readonly Transaction[]>],
})

/**
 * Compares each order that has payments with what its transactions come to, and the sums of orders that metrics show
 * with the orders.
 */
export function checkMoney(database: Database, progress: Progress): Promise<CheckResult> {
  return inOneMoment(database, async (connection) => {
    const findings = new Findings(progress)
    const sums = await connection.run({ text: sumsThatDiffer, values: [], long: true })
    findings.add(
      'sums of orders',
      sums.length,
      sums.flatMap(([store, currency, inSums, inOrders]) =>
        inSums === inOrders
          ? []
          : [`sums in ${currency} of store ${store}: ${inSums}, and of its orders ${inOrders}`],
      ),
      0,
    )
    await checkOrders(connection, findings)
    return findings.result
  })
}

async function checkOrders(connection: Connection, findings: Findings): Promise<void> {
  const [counted] = await connection.run({ text: 'SELECT count(*) FROM orders', values: [], long: true })
  let done = 0
  for (let last: readonly [string, string] = [first, first]; ; ) {
    const rows = (await connection.run({ text: ordersAfter, values: last, long: true })).map(
      orderColumns.read,
    )
    done += rows.length
    findings.add('orders', rows.length, rows.flatMap(differenceOf), done / Math.max(Number(counted?.[0]), 1))
    const end = rows.at(-1)
    if (!end || rows.length < page) return
    last = [end.storeId, end.id]
  }
}

function differenceOf({ storeId, id, total, stored, transactions }: ReturnType<typeof orderColumns.read>) {
  const { payment, paid, authorized, pending } = paymentOf(total, transactions)
  const expected = `${payment} (paid ${paid}, authorized ${authorized}, pending ${pending})`
  return expected === stored
    ? []
    : [`order ${id} in store ${storeId}: it is ${stored}, and its transactions come to ${expected}`]
}

const ordersAfter = `
  SELECT ${orderColumns.sql} FROM orders o CROSS JOIN LATERAL (
    SELECT json_agg(json_strip_nulls(json_build_object('type', t.doc->>'transaction_type', 'status', t.doc->>'status',
      'amount', (t.doc->>'amount')::bigint, 'refundedAmount', (t.doc->>'refunded_amount')::bigint,
      'failedRefundAmount', (t.doc->>'failed_refund_amount')::bigint, 'receivedAs', t.hidden->>'received_as'))
      ORDER BY t.created_at, t.id) AS list
    FROM order_transactions t WHERE t.store_id = o.store_id AND t.order_id = o.id) t
  WHERE t.list IS NOT NULL AND (o.store_id, o.id) > ($1, $2) ORDER BY o.store_id, o.id LIMIT ${page}`

const sumsThatDiffer = `
  WITH summed AS (
    SELECT store_id, currency, sum(orders) AS n, sum(value) AS value, sum(discount) AS discount FROM (
      SELECT store_id, currency, orders, value, discount FROM order_sums WHERE grain = 'quarter'
      UNION ALL SELECT store_id, currency, orders, value, discount FROM order_sum_changes) s GROUP BY 1, 2),
  actual AS (
    SELECT store_id, currency, count(*) AS n, sum(with_tax) AS value, sum(discount) AS discount
    FROM orders WHERE status <> 'cancelled' GROUP BY 1, 2)
  SELECT store_id, currency,
    format('%s orders, %s, discount %s', coalesce(s.n, 0), coalesce(s.value, 0), coalesce(s.discount, 0)),
    format('%s orders, %s, discount %s', coalesce(a.n, 0), coalesce(a.value, 0), coalesce(a.discount, 0))
  FROM summed s FULL JOIN actual a USING (store_id, currency)`

const first = '00000000-0000-0000-0000-000000000000'
