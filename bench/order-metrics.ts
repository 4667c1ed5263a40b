import { readdirSync, readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { type OwnServer, startOwnServer } from './own-server.ts'
import { customItem, guestCheckout } from './seed-carts.ts'

/**
 * `node bench/order-metrics.ts [orders]`: how long metrics of a million orders take, and what their sums cost a write.
 * The orders are spread over three years, each quarter of an hour has some, and a hundredth of them has one product.
 */
const count = Number(process.argv[2] ?? 1_000_000)
const years = 3
const product = '11111111-1111-4111-8111-111111111111'
const times = 15

const server = await startOwnServer()
try {
  const storeId = await seed(server)
  const period = { start_date: '2023-01-01', end_date: '2026-01-01', currency: 'USD' }
  const month = { ...period, start_date: '2025-10-03T10:07:00Z', end_date: '2025-11-03T10:07:00Z' }
  const scenarios: readonly (readonly [what: string, name: string, query: object])[] = [
    ['all orders', 'summary', period],
    ['all orders by day', 'timeseries/value', { ...period, interval: '1d' }],
    [
      'all orders by week in London',
      'timeseries/value',
      { ...period, interval: '1wk', timezone: 'Europe/London' },
    ],
    [
      'all orders by day in Kolkata',
      'timeseries/value',
      { ...period, interval: '1d', timezone: 'Asia/Kolkata' },
    ],
    [
      'all orders by day in Kathmandu',
      'timeseries/value',
      { ...period, interval: '1d', timezone: 'Asia/Kathmandu' },
    ],
    ['a year by hour', 'timeseries/count', { ...period, start_date: '2025-01-01', interval: '1hr' }],
    [
      'a year by hour in Kolkata',
      'timeseries/count',
      { ...period, start_date: '2025-01-01', interval: '1hr', timezone: 'Asia/Kolkata' },
    ],
    ['a month, from a part of an hour on', 'summary', month],
    ['a month by hour', 'timeseries/count', { ...month, interval: '1hr' }],
    [
      'all orders with a product that a hundredth has',
      'summary',
      { ...period, filter: `contains(product_ids,${product})` },
    ],
    [
      'all orders with that product by day',
      'timeseries/value',
      { ...period, interval: '1d', filter: `contains(product_ids,${product})` },
    ],
  ]
  for (const [what, name, query] of scenarios) await measure(what, name, query)
  await server.database.run({
    text: `INSERT INTO order_sum_changes SELECT store_id, currency, at, 1, 1000, 0 FROM order_sums
           WHERE store_id = $1 AND grain = 'quarter' ORDER BY at DESC LIMIT 10000`,
    values: [storeId],
    long: true,
  })
  await measure('all orders, with 10,000 changes that are not merged', 'summary', period)
  await measureTrigger(storeId)
} finally {
  await server.stop()
}

async function measure(what: string, name: string, query: object): Promise<void> {
  const path = `/v2/metrics/orders/${name}?${new URLSearchParams(query as Record<string, string>)}`
  const took: number[] = []
  await server.call('GET', path, undefined, 200)
  const spent = processorMs()
  for (let i = 0; i < times; i++) {
    const began = performance.now()
    await server.call('GET', path, undefined, 200)
    took.push(performance.now() - began)
  }
  const [ours, database] = processorMs().map((ms, i) => ((ms - (spent[i] as number)) / times).toFixed(1))
  took.sort((one, other) => one - other)
  const median = took[Math.floor(times / 2)] as number
  console.info(
    `${what}: ${ours} ms of processor time in the server, ${database} ms in PostgreSQL, ${median.toFixed(1)} ms in all (the median)`,
  )
}

/** What the server and its PostgreSQL have spent, in milliseconds: the machine may be busy with something else. */
function processorMs(): readonly [server: number, database: number] {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
        const [, parent = '', ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
        return [{ pid: Number(pid), parent: Number(parent), ms: (Number(rest[9]) + Number(rest[10])) * 10 }]
      } catch {
        return []
      }
    })
  const isBelow = (pid: number): boolean =>
    stats.some(
      (one) => one.pid === pid && (one.parent === server.pid || (one.parent > 1 && isBelow(one.parent))),
    )
  const sum = (some: typeof stats) => some.reduce((total, { ms }) => total + ms, 0)
  return [sum(stats.filter(({ pid }) => pid === server.pid)), sum(stats.filter(({ pid }) => isBelow(pid)))]
}

/** Stores slim orders by SQL, and their sums as the migration does. */
async function seed({ call, database }: OwnServer): Promise<string> {
  await call('POST', '/v2/carts/seed/items', customItem('WRAP'), 201)
  const { data } = await call<{ data: { id: string } }>('POST', '/v2/carts/seed/checkout', guestCheckout, 201)
  const [[storeId] = []] = await database.run({
    text: 'SELECT store_id FROM orders WHERE id = $1',
    values: [data.id],
  })
  const run = (text: string, ...values: readonly unknown[]) => database.run({ text, values, long: true })
  const indexes = await run(
    `SELECT indexname FROM pg_indexes WHERE tablename = 'orders' AND indexname NOT IN
       ('orders_pkey', 'orders_cart_key', 'orders_by_currency', 'orders_by_product_ids', 'orders_by_promotion_ids')`,
  )
  for (const [index] of indexes) await run(`DROP INDEX ${index}`)
  await run('ALTER TABLE orders DISABLE TRIGGER USER')
  await run(
    `INSERT INTO orders (store_id, id, created_at, updated_at, doc, hidden)
     SELECT $1, gen_random_uuid(), at, at, '{"type":"order","status":"complete","payment":"paid","shipping":"fulfilled"}',
       json_build_object('currency', json_build_object('code', 'USD'), 'payments',
         json_build_object('paid', 0, 'authorized', 0, 'pending', 0),
         'prices', json_build_object('with_tax', 1000 + n % 5000, 'without_tax', 1000, 'discount', -(n % 100)),
         'product_ids', CASE WHEN n % 100 = 0 THEN json_build_array($3::text) ELSE '[]'::json END,
         'product_skus', '[]'::json, 'promotion_ids', '[]'::json)
     FROM (SELECT n, timestamptz '2023-01-01Z' + n * (interval '${years} years' / $2::int) AS at
       FROM generate_series(0, $2::int - 1) n) each`,
    storeId,
    count,
    product,
  )
  await run('ALTER TABLE orders ENABLE TRIGGER USER')
  await run('TRUNCATE order_sums, order_sum_changes')
  await run(
    `INSERT INTO order_sums
     SELECT store_id, currency, grain, date_bin(length, created_at, '2000-01-01Z'), count(*), sum(with_tax),
       -sum((hidden#>>'{prices,discount}')::bigint)
     FROM orders, (VALUES ('quarter', interval '15 minutes'), ('hour', interval '1 hour'), ('day', interval '24 hours'))
       g (grain, length)
     WHERE status <> 'cancelled' GROUP BY 1, 2, 3, 4`,
  )
  await run('VACUUM ANALYZE orders')
  await run('VACUUM ANALYZE order_sums')
  const [[sums] = []] = await run('SELECT count(*) FROM order_sums')
  console.info(`${count} orders, ${sums} sums`)
  return storeId as string
}

/** What the trigger adds to the insert of an order, in one transaction of 5,000. */
async function measureTrigger(storeId: string): Promise<void> {
  const insert = `INSERT INTO orders (store_id, id, created_at, updated_at, doc, hidden)
    SELECT store_id, gen_random_uuid(), created_at, updated_at, doc, (hidden::jsonb - 'cart')::json FROM orders WHERE store_id = $1 LIMIT 5000`
  for (const state of ['DISABLE', 'ENABLE', 'DISABLE', 'ENABLE']) {
    await server.database.run({ text: `ALTER TABLE orders ${state} TRIGGER sum_order`, values: [] })
    const began = performance.now()
    await server.database.run({ text: insert, values: [storeId], long: true })
    const us = ((performance.now() - began) / 5000) * 1000
    console.info(
      `an order without its indexes, trigger ${state === 'ENABLE' ? 'on' : 'off'}: ${us.toFixed(1)} us`,
    )
  }
}
