import { parseArgs } from 'node:util'
import { findPooler, startPooler } from '../tests/support/pooler.ts'
import { type Act, actsOf } from './acts/acts.ts'
import { openClient } from './acts/client.ts'
import { type Cost, costOf, usOf } from './acts/cost.ts'
import { openWorld } from './acts/world.ts'
import { startOwnServer } from './own-server.ts'
import { median, printLoad, printRow, ratio } from './pairs.ts'

/**
 * `node bench/pooler.ts [--rounds 7] [act …]`: what clients wait for, 16 at once, of a server behind pgbouncer in
 * transaction mode, and of one without, in turns, and what an act takes of processors; medians of the rounds. It needs
 * pgbouncer 1.21 or newer in PATH or in SUTLER_TEST_PGBOUNCER.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '7' } },
})
const named = ['get account', 'list accounts', 'create account', 'second item', 'checkout of 1 line']
const names = positionals.length ? positionals : named
const atOnce = 16

const program = findPooler()
if (!program) throw new Error('there is no pgbouncer of 1.21 or newer: set SUTLER_TEST_PGBOUNCER')

/** Each has a PostgreSQL of its own, which another server has started and which is idle beside it. */
async function open(isPooled: boolean) {
  const owner = await startOwnServer()
  const direct = owner.databaseUrl.split('&options=')[0] as string
  const pooler = isPooled ? await startPooler(program as string, direct) : undefined
  const env = pooler && { DATABASE_URL: pooler.urlOf('sutler'), SUTLER_DIRECT_DATABASE_URL: direct }
  const server = await startOwnServer(undefined, { beside: owner, ...(env && { env }) })
  const client = openClient(server, atOnce)
  const world = await openWorld(server, client)
  // Its PostgreSQL is a child of the owner.
  const measured = { ...server, directory: owner.directory, database: owner.database }
  return {
    acts: actsOf(world),
    client,
    server: measured,
    poolerUs: () => (pooler ? usOf(pooler.pid) : 0),
    async stop() {
      client.close()
      await server.stop()
      await pooler?.stop()
      await owner.stop()
    },
  }
}

type Side = Awaited<ReturnType<typeof open>>

/** What an act costs. */
interface PooledCost extends Cost {
  readonly poolerUs: number
}

async function measure(
  { acts, client, server, poolerUs }: Side,
  name: string,
  round: number,
): Promise<PooledCost> {
  const act = acts[name] as Act
  const times = Math.ceil(act.times / 2)
  const objects =
    (await act.prepare?.(`${round}`, times)) ?? Array.from({ length: times }, (_, i) => `${round}-${i}`)
  const before = poolerUs()
  const cost = await costOf(server, times, async () => {
    const beganMs = performance.now()
    await client.each(times, (i) => act.run(objects[i] as string))
    return times / ((performance.now() - beganMs) / 1000)
  })
  return { ...cost, poolerUs: (poolerUs() - before) / times }
}

const sides = [await open(true), await open(false)] as const
const columns = [
  'act',
  'acts/s behind pgbouncer',
  'direct',
  'ratio',
  'node µs',
  'PostgreSQL µs',
  'pgbouncer µs',
]
printRow([...columns, 'direct: node µs', 'PostgreSQL µs'])
for (const name of names) {
  const costs: [PooledCost[], PooledCost[]] = [[], []]
  // The first round prepares statements and compiles code.
  for (let round = 0; round <= Number(values.rounds); round++) {
    for (const turn of [0, 1]) {
      const side = (round + turn) % 2 === 0 ? 0 : 1
      const cost = await measure(sides[side], name, round)
      if (round > 0) costs[side].push(cost)
    }
  }
  const of = (side: 0 | 1, what: keyof PooledCost) =>
    Math.round(median(costs[side].map((cost) => cost[what])))
  const [pooled, direct] = [of(0, 'perSecond'), of(1, 'perSecond')]
  const pooledUs = [of(0, 'nodeUs'), of(0, 'postgresUs'), of(0, 'poolerUs')]
  printRow([name, pooled, direct, ratio(pooled, direct), ...pooledUs, of(1, 'nodeUs'), of(1, 'postgresUs')])
}
printLoad()
for (const side of sides) await side.stop()
