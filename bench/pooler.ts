import { parseArgs } from 'node:util'
import { findPooler, startPooler } from '../tests/support/pooler.ts'
import { type Act, actsOf } from './acts/acts.ts'
import { openClient } from './acts/client.ts'
import { openWorld } from './acts/world.ts'
import { startOwnServer } from './own-server.ts'
import { median, printLoad, printRow, ratio } from './pairs.ts'

/**
 * `node bench/pooler.ts [--rounds 7] [act …]`: what clients wait for, 16 at once, of a server behind pgbouncer in
 * transaction mode, and of one without, in turns; medians of the rounds. It needs pgbouncer 1.21 or newer in PATH or in
 * SUTLER_TEST_PGBOUNCER.
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
  return {
    acts: actsOf(world),
    client,
    async stop() {
      client.close()
      await server.stop()
      await pooler?.stop()
      await owner.stop()
    },
  }
}

type Side = Awaited<ReturnType<typeof open>>

/** Acts a second. */
async function measure({ acts, client }: Side, name: string, round: number): Promise<number> {
  const act = acts[name] as Act
  const times = Math.ceil(act.times / 2)
  const objects =
    (await act.prepare?.(`${round}`, times)) ?? Array.from({ length: times }, (_, i) => `${round}-${i}`)
  const beganMs = performance.now()
  await client.each(times, (i) => act.run(objects[i] as string))
  return times / ((performance.now() - beganMs) / 1000)
}

const sides = [await open(true), await open(false)] as const
printRow(['act', 'behind pgbouncer, acts/s', 'direct, acts/s', 'ratio'])
for (const name of names) {
  const perSecond: [number[], number[]] = [[], []]
  // The first round prepares statements and compiles code.
  for (let round = 0; round <= Number(values.rounds); round++) {
    for (const turn of [0, 1]) {
      const side = (round + turn) % 2 === 0 ? 0 : 1
      const result = await measure(sides[side], name, round)
      if (round > 0) perSecond[side].push(result)
    }
  }
  const [pooled, direct] = perSecond.map(median) as [number, number]
  printRow([name, Math.round(pooled), Math.round(direct), ratio(pooled, direct)])
}
printLoad()
for (const side of sides) await side.stop()
