import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../support/world.ts'
import { order } from './buying.ts'

/** What one page of large orders costs the process, and those who ask for something else meanwhile. */

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true, overHttp: true })
})
afterAll(() => world.close())

const [count, itemChars, mebibyte] = [80, 500_000, 1024 * 1024]

async function makeLargeOrders(): Promise<void> {
  await order(world.admin)
  await world.sql(
    `INSERT INTO orders (store_id, id, created_at, updated_at, doc, hidden)
     SELECT store_id, gen_random_uuid(), created_at, updated_at, doc, (hidden::jsonb - 'cart')::json
     FROM orders, generate_series(2, $1::int)`,
    [count],
  )
  await world.sql(
    `INSERT INTO order_contents (store_id, order_id, doc)
     SELECT o.store_id, o.id, c.doc FROM orders o JOIN order_contents c USING (store_id) ON CONFLICT DO NOTHING`,
  )
  await world.sql(
    `UPDATE order_contents SET doc = jsonb_set(doc::jsonb, '{contents,lines,0,name}', to_jsonb(repeat('long ', $1)))::json`,
    [itemChars / 5],
  )
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** What the process holds: its size also depends on when the garbage was collected last. */
function heldBytes(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Reads a response and forgets it. */
async function readAway(path: string) {
  const response = await fetch(`${world.url}${path}`, {
    headers: { authorization: `Bearer ${world.admin.token}` },
  })
  let bytes = 0
  for await (const chunk of response.body as ReadableStream<Uint8Array>) bytes += chunk.byteLength
  return { status: response.status, bytes }
}

test('a page of large orders with their items holds a few of them at a time, and nobody waits for it', async () => {
  await makeLargeOrders()
  let isDone = false
  let peak = 0
  let bystanders = 0
  const before = heldBytes()
  const page = readAway('/v2/orders?include=items&page[limit]=100').finally(() => {
    isDone = true
  })
  const watch = async () => {
    while (!isDone) {
      await sleep(200)
      peak = Math.max(peak, heldBytes())
    }
  }
  const stand = async () => {
    while (!isDone) {
      expect((await world.admin.get('/v2/currencies')).status).toBe(200)
      bystanders += 1
    }
  }
  const [{ status, bytes }] = await Promise.all([page, watch(), stand()])
  expect(status).toBe(200)
  expect(bytes).toBeGreaterThan(count * itemChars)
  expect(peak - before).toBeLessThan(55 * mebibyte)
  expect(bystanders).toBeGreaterThan(count / 2)
}, 120_000)
