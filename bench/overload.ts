import { fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { actsOf } from './acts/acts.ts'
import { openClient } from './acts/client.ts'
import { openWorld } from './acts/world.ts'
import { item } from './fill-carts.ts'
import type { FloodPlan, FloodReport, TimedResponse } from './overload/flood.ts'
import { type OwnServer, startOwnServer } from './own-server.ts'
import { median, p95, printLoad, printRow } from './pairs.ts'
import { guestCheckout } from './seed-carts.ts'

/**
 * `node bench/overload.ts [times rounds kind]`: how many requests a second a server serves, and what becomes of that
 * many times more, and of that many times more clients. A server that refuses and one that does not take turns, on
 * one database. The requests come by the clock from a process of its own, which shares the processors of the servers
 * and has the priority, so a part of the slowdown is its own. Cells are medians of the rounds.
 */
const [times = 10, rounds = 2] = process.argv.slice(2, 4).map(Number)
const onlyKind = process.argv[4]
const usualConnections = 16
/** Those of the flood. More requests than these wait in the client for its responses: unsent. */
const connections = 1000
/** What a quiet time is: this part of the capacity. */
const quietShare = 0.1
const seconds = { capacity: 2, quiet: 4, flood: 8, clients: 3, recovery: 0.5 } as const
/** The first of these warms up. */
const capacityTurns = 6
const recoveryTriesMax = 40
/** When the server has noticed an overload. */
const noticedAfterMs = 1500

const startServer = (refuses: boolean, beside?: OwnServer) => {
  process.env.SUTLER_REFUSE_OVERLOAD = String(refuses)
  return startOwnServer(undefined, beside && { beside })
}
/** Runs the database, and prepares what is sent. The others have then done the same. */
const home = await startServer(false)
const on = await startServer(true, home)
const off = await startServer(false, home)
const servers = { on, off } as const
const flood = fork(new URL('./overload/flood.ts', import.meta.url))
flood.once('exit', (code) => code && process.exit(code))
setPriority(flood.pid as number, -10)

try {
  printLoad()
  printRow([
    ...['requests', 'refuses', 'capacity/s', 'node µs', 'quiet p95'],
    ...[`×${times}: answered/s`, 'refused/s', 'unsent/s', 'p95 of all', 'p95 once noticed', 'times quiet'],
    ...['recovers in, s', `${usualConnections * times} clients: answered/s`, 'refused/s', 'p95', 'failed'],
  ])
  printRow([':--', ':--', ...Array<string>(14).fill('--:')])
  for (const [kind, requestsOf] of Object.entries(await kindsOf(home)))
    if (kind === (onlyKind ?? kind)) await compare(kind, requestsOf)
  printLoad()
} finally {
  flood.kill()
  await off.stop()
  await on.stop()
  await home.stop()
}

async function compare(kind: string, requestsOf: () => readonly string[]): Promise<void> {
  const usual: Record<keyof typeof servers, Usual[]> = { on: [], off: [] }
  for (let turn = 0; turn < capacityTurns; turn++)
    for (const refuses of turn % 2 ? (['on', 'off'] as const) : (['off', 'on'] as const)) {
      const one = await measureUsual(servers[refuses], requestsOf)
      if (turn > 0) usual[refuses].push(one)
    }
  const capacity = median([...usual.on, ...usual.off].map((one) => one.perSecond))
  const runs: Record<keyof typeof servers, Run[]> = { on: [], off: [] }
  for (let round = 0; round < rounds; round++)
    for (const refuses of ['on', 'off'] as const)
      runs[refuses].push(await run(servers[refuses], requestsOf, capacity))
  for (const refuses of ['on', 'off'] as const) {
    const usualCell = (of: (one: Usual) => number) => median(usual[refuses].map(of)).toFixed(0)
    const some = runs[refuses]
    const cell = (of: (one: Run) => number, digits = 0) => median(some.map(of)).toFixed(digits)
    printRow([
      ...[kind, refuses, usualCell((one) => one.perSecond), usualCell((one) => one.nodeUs)],
      ...[cell((one) => one.quietMs, 1), cell((one) => one.answered), cell((one) => one.refused)],
      ...[cell((one) => one.unsent), cell((one) => one.allMs, 1), cell((one) => one.noticedMs, 1)],
      ...[cell((one) => one.noticedMs / one.quietMs, 2), cell((one) => one.recoversS, 1)],
      ...[cell((one) => one.ofClients.answered), cell((one) => one.ofClients.refused)],
      ...[cell((one) => one.ofClients.ms, 1), some.reduce((sum, { failed }) => sum + failed, 0)],
    ])
  }
}

type Usual = Awaited<ReturnType<typeof measureUsual>>

/** With as many clients as keep the server busy. */
async function measureUsual(server: OwnServer, requestsOf: () => readonly string[]) {
  const beganS = processorSeconds(server.pid)
  const plan = { connections: usualConnections, seconds: seconds.capacity }
  const { answered } = await ask(server, requestsOf, plan)
  const nodeUs = ((processorSeconds(server.pid) - beganS) * 1e6) / answered.length
  return { perSecond: answered.length / seconds.capacity, nodeUs }
}

type Run = Awaited<ReturnType<typeof run>>

async function run(server: OwnServer, requestsOf: () => readonly string[], capacity: number) {
  const send = (plan: Plan) => ask(server, requestsOf, plan)
  const calm = { connections, perSecond: Math.max(5, capacity * quietShare) }
  await sleep(1000)
  const quiet = await send({ ...calm, seconds: seconds.quiet })
  const quietMs = at95(quiet.answered)
  const loaded = await send({ connections, perSecond: capacity * times, seconds: seconds.flood })
  const endedMs = performance.now()
  for (let tries = 0; tries < recoveryTriesMax; tries++) {
    const { refused, answered } = await send({ ...calm, seconds: seconds.recovery })
    if (refused.length === 0 && at95(answered) < 2 * quietMs) break
  }
  const recoversS = Math.max(0, (performance.now() - endedMs) / 1000 - seconds.recovery)
  const clients = await send({ connections: usualConnections * times, seconds: seconds.clients })
  return {
    ...{ quietMs, recoversS },
    answered: loaded.answered.length / seconds.flood,
    refused: loaded.refused.length / seconds.flood,
    unsent: loaded.unsent / seconds.flood,
    allMs: at95(loaded.answered),
    noticedMs: at95(loaded.answered.filter(({ atMs }) => atMs > noticedAfterMs)),
    ofClients: {
      answered: clients.answered.length / seconds.clients,
      refused: clients.refused.length / seconds.clients,
      ms: at95(clients.answered),
    },
    failed: quiet.failed + loaded.failed + clients.failed,
  }
}

type Plan = Pick<FloodPlan, 'connections' | 'seconds' | 'perSecond'>

function ask(server: OwnServer, requestsOf: () => readonly string[], plan: Plan): Promise<FloodReport> {
  return new Promise((done) => {
    flood.once('message', (report) => done(report as FloodReport))
    flood.send({ url: server.url, requests: requestsOf(), ...plan } satisfies FloodPlan)
  })
}

function at95(some: readonly TimedResponse[]): number {
  return p95(some.map(({ ms }) => ms))
}

/** What a process has used: what else the machine does changes it little. */
function processorSeconds(pid: number): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')
  const [user, system] = fields.split(' ').slice(11, 13)
  return (Number(user) + Number(system)) / 100
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
