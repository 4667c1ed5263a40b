import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { startOwnServer } from './own-server.ts'

/**
 * `node bench/followers.ts [followers creates rounds]`: how long creates take beside readers that follow the feed of
 * the same store, as streams and by waiting; and what one create costs with all its readers: processor time of the
 * server, and transactions of the database. The variants alternate, because the machine may be busy. This process
 * reads and writes.
 */
const [followers = 100, creates = 100, rounds = 3] = process.argv.slice(2).map(Number)
const writers = 1

const server = await startOwnServer()
const headers = { authorization: `Bearer ${server.token}` }

/** Follows the feed until `end` aborts. Returns when the first response has begun, or the first request waits. */
const variants: Readonly<Record<string, (end: AbortSignal) => Promise<void>>> = {
  'no follower': async () => {},
  [`${followers} streams`]: async (end) => {
    const last = await lastPosition()
    const opened = Array.from({ length: followers }, () => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const options = {
        headers: { ...headers, accept: 'text/event-stream', 'last-event-id': String(last) },
        ...{ agent: false as const, signal: end },
      }
      const request = get(`${server.url}/v2/changes`, options, (response) => {
        response.on('error', () => {}).resume()
        resolve()
      })
      request.on('error', reject)
      return promise
    })
    await Promise.all(opened)
  },
  [`${followers} requests that wait`]: async (end) => {
    const last = await lastPosition()
    for (let n = 0; n < followers; n++) void follow(last, end).catch(() => {})
  },
}

async function lastPosition(): Promise<number> {
  const { meta } = await server.call<{ meta: { feed: { last: number } } }>(
    'GET',
    '/v2/changes?page%5Blimit%5D=0',
  )
  return meta.feed.last
}

async function follow(from: number, end: AbortSignal): Promise<void> {
  for (let after = from; !end.aborted; ) {
    const url = `${server.url}/v2/changes?wait=30&page%5Bafter%5D=${after}`
    const { meta } = (await (await fetch(url, { headers, signal: end })).json()) as {
      meta: { feed: { reached: number } }
    }
    after = meta.feed.reached
  }
}

async function createOne(name: string): Promise<number> {
  const began = performance.now()
  await server.call('POST', '/v2/accounts', { type: 'account', name }, 201)
  return performance.now() - began
}

/** The processor time of the server in milliseconds, and the transactions of its database so far. */
async function spent(): Promise<Cost> {
  // PostgreSQL counts them a moment later.
  await sleep(1_200)
  const fields = readFileSync(`/proc/${server.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const [row] = await server.database.run({
    text: 'SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()',
    values: [],
  })
  return { processorMs: (Number(fields[11]) + Number(fields[12])) * 10, transactions: Number(row?.[0]) }
}

interface Cost {
  readonly processorMs: number
  readonly transactions: number
}

interface Measurement extends Cost {
  readonly took: readonly number[]
}

async function measure(begin: (end: AbortSignal) => Promise<void>): Promise<Measurement> {
  const end = new AbortController()
  await begin(end.signal)
  const before = await spent()
  const took: number[] = []
  const writer = async () => {
    for (let n = 0; n < creates / writers; n++) took.push(await createOne(`Account ${n}`))
  }
  await Promise.all(Array.from({ length: writers }, writer))
  const after = await spent()
  end.abort()
  return {
    took,
    processorMs: (after.processorMs - before.processorMs) / took.length,
    transactions: (after.transactions - before.transactions) / took.length,
  }
}

try {
  const measured = new Map<string, Measurement[]>(Object.keys(variants).map((name) => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const [name, begin] of Object.entries(variants)) {
      const one = await measure(begin)
      // The first round fills caches.
      if (round) measured.get(name)?.push(one)
    }
  }
  process.stdout.write(
    '| | creates | p50, ms | p95, ms | processor, ms each | transactions each |\n|---|--:|--:|--:|--:|--:|\n',
  )
  for (const [name, all] of measured) {
    const took = all.flatMap((one) => one.took).toSorted((a, b) => a - b)
    const at = (part: number) => took[Math.floor(took.length * part)]?.toFixed(1)
    const of = (key: keyof Cost) => median(all.map((one) => one[key])).toFixed(1)
    process.stdout.write(
      `| ${name} | ${took.length} | ${at(0.5)} | ${at(0.95)} | ${of('processorMs')} | ${of('transactions')} |\n`,
    )
  }
} finally {
  await server.stop()
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] as number
}
