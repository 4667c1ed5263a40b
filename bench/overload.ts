import { fork } from 'node:child_process'
import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { actsOf } from './acts/acts.ts'
import { openClient } from './acts/client.ts'
import { openWorld } from './acts/world.ts'
import { item } from './fill-carts.ts'
import type { FloodPlan, FloodReport, TimedResponse } from './overload/flood.ts'
import { type OwnServer, startOwnServer } from './own-server.ts'
import { p95, printLoad, printRow, quantile } from './pairs.ts'
import { guestCheckout } from './seed-carts.ts'

/**
 * `node bench/overload.ts [times seconds rounds kind]`: how many requests a second the server serves, then what becomes
 * of that many times more. The requests come by the clock from a process of its own, which shares the processors of the
 * server and has the priority, so a part of the slowdown is its own. A quiet time and a flood take turns.
 */
const [times = 10, seconds = 10, rounds = 3] = process.argv.slice(2, 5).map(Number)
const onlyKind = process.argv[5]
const connections = 1000
/** What a quiet time is: this part of the capacity. */
const quietShare = 0.1
const [warmS, quietS, recoveryS] = [4, 6, 0.5]
const recoveryTriesMax = 40

process.env.SUTLER_REFUSE_OVERLOAD ??= 'true'
const server = await startOwnServer()
const flood = fork(new URL('./overload/flood.ts', import.meta.url))
flood.once('exit', (code) => code && process.exit(code))
setPriority(flood.pid as number, -10)

try {
  printLoad()
  printRow([
    'requests',
    'capacity/s',
    'came/s',
    'answered/s',
    'refused/s',
    'unsent/s',
    'failed',
    'quiet p50, p95',
    'p50, p95',
    'after 1 s',
    'times the quiet p95',
    'recovers in, s',
    'client late p95',
  ])
  printRow([':--', ...Array<string>(12).fill('--:')])
  for (const [kind, requestsOf] of Object.entries(await kindsOf(server)))
    if (kind === (onlyKind ?? kind)) await run(kind, requestsOf)
  printLoad()
} finally {
  flood.kill()
  await server.stop()
}

async function run(kind: string, requestsOf: () => readonly string[]): Promise<void> {
  const ask = async (plan: Pick<FloodPlan, 'connections' | 'seconds' | 'perSecond'>): Promise<FloodReport> =>
    new Promise((done) => {
      flood.once('message', (report) => done(report as FloodReport))
      flood.send({ url: server.url, requests: requestsOf(), ...plan } satisfies FloodPlan)
    })
  await ask({ connections: 16, seconds: warmS })
  for (let round = 0; round < rounds; round++) {
    const capacity = (await ask({ connections: 16, seconds: warmS })).answered.length / warmS
    const calm = { connections, perSecond: Math.max(5, capacity * quietShare) }
    await sleep(1000)
    const quiet = await ask({ ...calm, seconds: quietS })
    const loaded = await ask({ connections, perSecond: capacity * times, seconds })
    const endedMs = performance.now()
    for (let tries = 0; tries < recoveryTriesMax; tries++) {
      const { refused, answered } = await ask({ ...calm, seconds: recoveryS })
      if (refused.length === 0 && at(answered, 0.95) < 2 * at(quiet.answered, 0.95)) break
    }
    const recoversS = (performance.now() - endedMs) / 1000 - recoveryS
    const perSecond = (n: number) => (n / seconds).toFixed(0)
    const steady = loaded.answered.filter(({ atMs }) => atMs > 1000)
    const shown = (some: readonly TimedResponse[]) =>
      `${at(some, 0.5).toFixed(1)}, ${at(some, 0.95).toFixed(1)}`
    printRow([
      ...[kind, capacity.toFixed(0), (capacity * times).toFixed(0), perSecond(loaded.answered.length)],
      ...[perSecond(loaded.refused.length), perSecond(loaded.unsent), loaded.failed],
      ...[shown(quiet.answered), shown(loaded.answered), shown(steady)],
      (at(steady, 0.95) / at(quiet.answered, 0.95)).toFixed(2),
      recoversS.toFixed(1),
      p95(loaded.lateMs).toFixed(1),
    ])
  }
}

function at(some: readonly TimedResponse[], share: number): number {
  return quantile(
    some.map(({ ms }) => ms),
    share,
  )
}

/** For each kind of traffic, a list of whole requests. */
async function kindsOf(own: OwnServer): Promise<Readonly<Record<string, () => readonly string[]>>> {
  const client = openClient(own, 16)
  const world = await openWorld(own, client)
  const { 'get account': get, 'checkout of 1 line': checkout } = actsOf(world)
  const [accountId = ''] = (await get?.prepare?.('read', 1)) ?? []
  const carts = (await checkout?.prepare?.('bought', 1000)) ?? []
  client.close()
  const common = `Host: ${new URL(own.url).host}\r\nAuthorization: Bearer ${own.token}\r\n`
  const post = (path: string, data: object) => {
    const body = JSON.stringify({ data })
    const type = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
    return `POST ${path} HTTP/1.1\r\n${common}${type}\r\n${body}`
  }
  let turn = 0
  return {
    gets: () => [`GET /v2/accounts/${accountId} HTTP/1.1\r\n${common}\r\n`],
    buys: () => {
      turn += 1
      return carts.flatMap((cart, i) => [
        post(`/v2/carts/new-${turn}-${i}/items`, item(world.productIds.at(-1))),
        post(`/v2/carts/${cart}/checkout`, guestCheckout),
      ])
    },
  }
}
