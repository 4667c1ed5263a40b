import { setTimeout as sleep } from 'node:timers/promises'
import { copyRows } from './copy-rows.ts'
import { fillCart, item } from './fill-carts.ts'
import { type OwnServer, startOwnServer } from './own-server.ts'
import { median, ms, p95, printLoad, printRow, ratio, timeOf } from './pairs.ts'
import { seedPublished } from './seed-published.ts'

/**
 * `node bench/cart-expiry.ts [rows]`: so many carts of one line expire at the same moment. How long the chore
 * takes that deletes them, which starts every minute, and what it does to adds to another cart.
 */
const [rows = 1_000_000] = process.argv.slice(2).map(Number)
/** Until they expire: copying them takes most of it. */
const expiresInMs = 90_000 + rows * 0.45

/** Each expires at the instant `$1`. */
const copies = `INSERT INTO carts (store_id, id, created_at, updated_at, doc, hidden, inside)
  SELECT c.store_id, n.id, n.t, $1::timestamptz - (c.hidden->>'expiry_days')::integer * interval '24 hours',
    (c.doc::jsonb || jsonb_build_object('id', 'gone-' || n.i))::json, c.hidden, c.inside
  FROM carts c, numbers n WHERE c.reference = 'one'`

/** As lists count: the stored total and the deltas that wait. */
const count = `SELECT coalesce((SELECT sum(n) FROM list_totals WHERE list = 'carts'), 0)
  + coalesce((SELECT sum(n) FROM list_deltas WHERE list = 'carts'), 0)`

const server = await startOwnServer()
try {
  await measure(server)
} finally {
  await server.stop()
}

async function measure(server: OwnServer): Promise<void> {
  const { database } = server
  const catalog = await seedPublished(server, 1000)
  await fillCart(server, catalog, 'one', 1)
  await fillCart(server, catalog, 'own', 5)
  const expiresAt = new Date(Date.now() + expiresInMs)
  const lists = [{ table: 'carts', name: 'carts', scope: 'store_id' }]
  await copyRows(server, rows, [copies], [expiresAt.toISOString()], lists)
  await database.run({ text: 'VACUUM ANALYZE carts', values: [], long: true })
  await database.run({ text: 'CHECKPOINT', values: [], long: true })
  const add = () => server.call('POST', '/v2/carts/own/items', item(catalog.productIds[0]), 201)
  const addUntil = async (isOver: () => boolean) => {
    const times: number[] = []
    while (!isOver()) {
      times.push(await timeOf(add))
      await sleep(20)
    }
    return times
  }
  printLoad()
  const alone = await addUntil(() => Date.now() > expiresAt.getTime())
  if (alone.length < 100) throw new Error('copying the carts took too long: raise expiresInMs')
  // The counter of the list: counting rows would take part in what is measured.
  const left = async () => Number((await database.run({ text: count, values: [] }))[0]?.[0])
  while ((await left()) > rows) await sleep(200)
  const began = performance.now()
  let isOver = false
  const adding = addUntil(() => isOver)
  while ((await left()) > 2) await sleep(200)
  const seconds = (performance.now() - began) / 1000
  isOver = true
  const beside = await adding
  process.stdout.write(
    `${rows} carts expired in ${seconds.toFixed(0)} s: ${Math.round(rows / seconds)} a second\n`,
  )
  printRow(['adds', 'alone, ms (median, 95 %)', 'beside the chore', 'ratio', 'ratio at 95 %', 'slowest, ms'])
  printRow(['--:', '--:', '--:', '--:', '--:', '--:'])
  const cells = [alone, beside].map((some) => `${ms(median(some))}, ${ms(p95(some))}`)
  const ratios = [ratio(median(beside), median(alone)), ratio(p95(beside), p95(alone))]
  printRow([beside.length, ...cells, ...ratios, ms(Math.max(...beside))])
  printLoad()
}
