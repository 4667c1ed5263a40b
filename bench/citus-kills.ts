import { execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { childrenOf } from './acts/cost.ts'
import { missingIn, type StoreWrites } from './citus/missing.ts'
import { openStore, type StoreClient } from './citus/store-client.ts'
import { startOwnServer } from './own-server.ts'
import { printLoad, printRow } from './pairs.ts'

/**
 * `node bench/citus-kills.ts <URL of the coordinator> [step …]`: eight clients write to stores of a distributed
 * database through two processes, with checkouts and jobs, while something happens to its nodes. Afterwards everything
 * that was acknowledged must be there, whole, and once in the feed. The steps:
 *
 * - `quiet`: nothing
 * - `kill=<data directory>`: the PostgreSQL of a node is killed with SIGKILL, and started five seconds later with
 *   `$PG_CTL -D <data directory> start`
 * - `move`, `move-blocking`: the shards of a store go to another node, beside its writes or before them
 * - `isolate`: a store gets shards of its own
 * - `add=<host>:<port>`: a node joins, `sutler distribute` prepares it, and a store moves there
 */
const [databaseUrl = '', ...steps] = process.argv.slice(2)
if (!databaseUrl) throw new Error('name the URL of the coordinator')
const storesCount = 6
const writers = 8
const pauseMs = 40
const aroundMs = 5_000

const env = {
  ...process.env,
  DATABASE_URL: databaseUrl,
  SUTLER_SECRET: 'bench secret bench secret bench secret',
}
/** What a command prints. */
async function sutler(...args: readonly string[]): Promise<string> {
  const program = resolve(import.meta.dirname, '../command/sutler.ts')
  return (await promisify(execFile)(process.execPath, [program, ...args], { env })).stdout
}

const servers = [await startOwnServer(undefined, { beside: { databaseUrl } })]
servers.push(await startOwnServer(undefined, { beside: { databaseUrl } }))
const urls = servers.map(({ url }) => url)
const stores = await Promise.all(
  Array.from({ length: storesCount }, async (_, n) =>
    openStore(urls, JSON.parse(await sutler('store', 'add', `Store ${n}`, '--json'))),
  ),
)
const writes = new Map<StoreClient, StoreWrites>(
  stores.map((store) => [store, { accounts: [], orders: [], jobs: [] }]),
)

interface Outcomes {
  readonly statuses: Record<string, number>
  longestMs: number
  firstFaultMs: number | undefined
  lastFaultMs: number | undefined
}
const noOutcomes = (): Outcomes => ({
  ...{ statuses: {}, longestMs: 0 },
  ...{ firstFaultMs: undefined, lastFaultMs: undefined },
})
let outcomes = noOutcomes()
let isOver = false

/** The body of a response below 300. */
async function send(store: StoreClient, method: string, path: string, data?: object) {
  const beganMs = performance.now()
  const { status, body } = await store.send(method, path, data)
  outcomes.statuses[status] = (outcomes.statuses[status] ?? 0) + 1
  outcomes.longestMs = Math.max(outcomes.longestMs, performance.now() - beganMs)
  if (status === 'cut' || Number(status) >= 500) {
    outcomes.firstFaultMs ??= beganMs
    outcomes.lastFaultMs = performance.now()
    if (status !== '503' && status !== 'cut') process.stdout.write(`${method} ${path}: ${status} ${body}\n`)
  }
  return Number(status) < 300 ? JSON.parse(body || '{}').data : undefined
}

const item = { type: 'custom_item', name: 'Wrap', quantity: 1, price: { amount: 100 } }
const address = { first_name: 'A', last_name: 'B', line_1: '1', region: 'R', postcode: '1', country: 'GB' }
const guest = {
  customer: { name: 'A', email: 'a@example.com' },
  ...{ billing_address: address, shipping_address: address },
}

async function write(writer: number): Promise<void> {
  for (let i = 0; !isOver; i++) {
    const store = stores[(writer + i) % stores.length] as StoreClient
    const own = writes.get(store) as StoreWrites
    const account = await send(store, 'POST', '/v2/accounts', { type: 'account', name: `${writer} ${i}` })
    if (account) own.accounts.push(account.id)
    if (i % 3 === 0) {
      const cart = `/v2/carts/w${writer}-${i}`
      const isFilled =
        (await send(store, 'POST', `${cart}/items`, item)) &&
        (await send(store, 'POST', `${cart}/items`, { ...item, sku: 'b' }))
      const order = isFilled && (await send(store, 'POST', `${cart}/checkout`, guest))
      if (order) own.orders.push(order.id)
    }
    if (i % 8 === 0 && own.orders.length) {
      const job = await send(store, 'POST', '/v2/jobs', {
        type: 'job',
        job_type: 'order_export',
        name: 'All',
      })
      if (job) own.jobs.push(job.id)
    }
    await sleep(pauseMs)
  }
}

const acts: Record<string, (value: string) => Promise<unknown>> = {
  quiet: () => sleep(2 * aroundMs),
  async kill(directory) {
    const [postmaster = ''] = readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n')
    const sessions = childrenOf(postmaster)
    process.kill(Number(postmaster), 'SIGKILL')
    await sleep(aroundMs)
    // They end when they notice. A new one cannot start before.
    for (const pid of sessions) await ended(pid)
    const start = spawn(`${process.env.PG_CTL ?? 'pg_ctl'} -D ${directory} -w start`, {
      ...{ shell: true, stdio: 'ignore' },
    })
    await new Promise((done) => start.once('exit', done))
  },
  move: () => move('force_logical'),
  'move-blocking': () => move('block_writes'),
  isolate: () =>
    onCoordinator(
      `SELECT isolate_tenant_to_new_shard('stores', $1::uuid, 'CASCADE', shard_transfer_mode => 'block_writes')`,
      [stores[1]?.id],
    ),
  async add(node) {
    const [host, port] = node.split(':')
    await onCoordinator('SELECT citus_add_node($1, $2)', [host, Number(port)])
    await sutler('distribute')
    await move('force_logical', port)
  },
}

async function ended(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0)
      await sleep(20)
    } catch {
      return
    }
  }
}

/** Moves the shards of the first store to another node, or to that with a port. */
async function move(mode: string, port?: string): Promise<void> {
  // Of a move before, which the store may go back to.
  await onCoordinator('CALL citus_cleanup_orphaned_resources()', [])
  await onCoordinator(
    `SELECT citus_move_shard_placement(p.shardid, p.nodename, p.nodeport, n.nodename, n.nodeport, $2::text::citus.shard_transfer_mode)
     FROM pg_dist_shard_placement p CROSS JOIN LATERAL (
       SELECT * FROM pg_dist_node n WHERE n.shouldhaveshards AND n.nodeport <> p.nodeport
         AND ($3::int IS NULL OR n.nodeport = $3) ORDER BY random() LIMIT 1) n
     WHERE p.shardid = get_shard_id_for_distribution_column('stores', $1::uuid)`,
    [stores[0]?.id, mode, port === undefined ? null : Number(port)],
  )
}

async function onCoordinator(text: string, values: readonly unknown[]): Promise<void> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  await client.query(text, [...values]).finally(() => client.end())
}

const seconds = (ms: number) => (ms / 1000).toFixed(1)
printLoad()
printRow(['step', 'took, s', 'answers', 'longest, s', 'first to last fault, s'])
printRow(['---', '--:', '---', '--:', '--:'])
const writing = Array.from({ length: writers }, (_, n) => write(n))
for (const step of steps.length ? steps : ['quiet']) {
  const [name = '', value = ''] = step.split('=')
  outcomes = noOutcomes()
  const beganMs = performance.now()
  const fault = await acts[name]?.(value).then(
    () => '',
    (error: Error) => `: ${error.message}`,
  )
  const tookMs = performance.now() - beganMs
  await sleep(2 * aroundMs)
  const { statuses, longestMs, firstFaultMs, lastFaultMs } = outcomes
  printRow([
    ...[`${name}${fault}`, seconds(tookMs)],
    ...[JSON.stringify(statuses), seconds(longestMs)],
    firstFaultMs === undefined || lastFaultMs === undefined ? '–' : seconds(lastFaultMs - firstFaultMs),
  ])
}
isOver = true
await Promise.all(writing)

let missing = 0
for (const [store, own] of writes) {
  const faults = await missingIn(store, own)
  missing += faults.length
  for (const fault of faults) process.stdout.write(`${store.id}: ${fault}\n`)
}
const all = [...writes.values()]
const count = (of: keyof StoreWrites) => all.reduce((sum, own) => sum + own[of].length, 0)
process.stdout.write(
  `${count('accounts')} accounts, ${count('orders')} orders, ${count('jobs')} jobs acknowledged: ${missing} faults\n`,
)
for (const server of servers) await server.stop()
for (const check of ['totals', 'feed']) process.stdout.write(`${check}: ${await sutler('check', check)}`)
printLoad()
