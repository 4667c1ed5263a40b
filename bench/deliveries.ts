import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { startOwnServer } from './own-server.ts'

/**
 * `node bench/deliveries.ts [endpoints hanging events rounds seconds]`: the delay from the response to a write until
 * its webhook arrives, with many endpoints, with and without some that never answer; and what webhooks cost the
 * writers. The variants alternate, because the machine may be busy. The receiver is this process, which also writes.
 */
const [endpoints = 1_000, hanging = 50, events = 5, rounds = 3, seconds = 5] = process.argv
  .slice(2)
  .map(Number)
const clients = 16

/** When each webhook arrived, by the endpoint and the account. */
let arrivals = new Map<string, number>()
let received = 0
const receiver = createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  const endpoint = Number(request.url?.slice(1))
  // Its sender waits until it gives up.
  if (endpoint < hanging && isHanging) return
  received += 1
  arrivals.set(`${endpoint} ${JSON.parse(text).payload.data.id}`, performance.now())
  response.end()
})
let isHanging = true
await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`

const server = await startOwnServer()
try {
  await observe()
  await delays()
  await costs()
} finally {
  await server.stop()
  receiver.closeAllConnections()
  receiver.close()
}

async function run(text: string, ...values: readonly unknown[]) {
  return server.database.run({ text, values, once: true, long: true })
}

/** More integrations than a store may have by its limit, all disabled. */
async function observe(): Promise<void> {
  await run(
    `INSERT INTO integrations (store_id, id, created_at, updated_at, doc, hidden)
     SELECT s.id, gen_random_uuid(), now(), now(),
       json_build_object('name', 'Endpoint ' || n, 'description', '', 'enabled', false, 'integration_type', 'webhook',
         'observes', json_build_array('account.created')),
       json_build_object('open_settings', json_build_object('url', $1 || '/' || n))
     FROM stores s, generate_series(0, $2 - 1) n`,
    url,
    endpoints,
  )
}

/** Enables the endpoints from one number on, so many, and disables the others. Waits until nothing is under way. */
async function enable(from: number, n: number): Promise<void> {
  await run(
    `UPDATE integrations SET version = version + 1, doc = jsonb_set(doc::jsonb, '{enabled}',
       to_jsonb(split_part(name, ' ', 2)::integer BETWEEN $1 AND $2))::json`,
    from,
    from + n - 1,
  )
  await idle()
}

async function idle(ofAll = true): Promise<void> {
  const text = ofAll
    ? `SELECT count(*) FROM integration_jobs WHERE state = 'waiting'`
    : `SELECT count(*) FROM fresh_changes`
  while (Number((await run(text))[0]?.[0]) > 0) await sleep(200)
}

async function create(name: string): Promise<string> {
  const { data } = await server.call<{ data: { id: string } }>(
    'POST',
    '/v2/accounts',
    { type: 'account', name },
    201,
  )
  return data.id
}

async function delays(): Promise<void> {
  const quick = endpoints - hanging
  const variants = { [`${quick} endpoints`]: hanging, [`${endpoints}, of which ${hanging} hang`]: 0 }
  const measured = new Map<string, number[]>(Object.keys(variants).map((name) => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const [name, from] of Object.entries(variants)) {
      isHanging = true
      await enable(from, endpoints - from)
      arrivals = new Map()
      const took: number[] = []
      for (let n = 0; n < events; n++) {
        const id = await create(`Event ${n}`)
        const at = performance.now()
        const all = () => [...arrivals].filter(([key]) => key.endsWith(id))
        while (all().filter(([key]) => Number(key.split(' ')[0]) >= hanging).length < quick) await sleep(5)
        took.push(...all().map(([, arrived]) => arrived - at))
      }
      // The first round fills caches.
      if (round) measured.get(name)?.push(...took)
      isHanging = false
      await run(
        'UPDATE integrations SET version = version + 1, doc = jsonb_set(doc::jsonb, $1, $2)::json',
        '{enabled}',
        'false',
      )
      await run(
        `UPDATE integration_jobs SET state = 'dropped', due_at = NULL, leased_until = NULL WHERE state = 'waiting'`,
      )
    }
  }
  process.stdout.write('| | webhooks | delay p50, ms | p95, ms | p99, ms |\n|---|--:|--:|--:|--:|\n')
  for (const [name, all] of measured) {
    const at = (part: number) => all.toSorted((a, b) => a - b)[Math.floor(all.length * part)]?.toFixed(0)
    process.stdout.write(
      `| ${name} | ${all.length.toLocaleString('en')} | ${at(0.5)} | ${at(0.95)} | ${at(0.99)} |\n`,
    )
  }
}

async function costs(): Promise<void> {
  isHanging = false
  const variants = { 'nobody observes': 0, 'one webhook for each write': 1 }
  const measured = new Map<string, { written: number; arrived: number }[]>(
    Object.keys(variants).map((name) => [name, []]),
  )
  for (let round = 0; round <= rounds; round++) {
    for (const [name, n] of Object.entries(variants)) {
      await enable(0, n)
      const before = received
      const until = performance.now() + seconds * 1_000
      const writers = Array.from({ length: clients }, async (_, i) => {
        let written = 0
        for (; performance.now() < until; written++) await create(`Writer ${i}`)
        return written
      })
      const written = (await Promise.all(writers)).reduce((sum, one) => sum + one, 0)
      const arrived = received - before
      if (round) measured.get(name)?.push({ written: written / seconds, arrived: arrived / seconds })
      await idle(false)
      await idle()
    }
  }
  process.stdout.write('\n| | writes/s | webhooks/s meanwhile |\n|---|--:|--:|\n')
  for (const [name, all] of measured) {
    const of = (key: 'written' | 'arrived') =>
      Math.round(median(all.map((one) => one[key]))).toLocaleString('en')
    process.stdout.write(`| ${name} | ${of('written')} | ${of('arrived')} |\n`)
  }
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] as number
}
