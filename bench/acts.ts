import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Act, actsOf, type World } from './acts/acts.ts'
import { openClient } from './acts/client.ts'
import { openWorld } from './acts/world.ts'
import { type OwnServer, startOwnServer } from './own-server.ts'
import { median, printLoad, printRow } from './pairs.ts'

/**
 * `node bench/acts.ts <other checkout> [this checkout [rounds [acts]]]`: what a client waits for, beside another
 * commit. A server of each does the same acts, 16 at once, in turns. Prints the medians of the rounds: acts per second,
 * the processor time of Node and of PostgreSQL, and the bytes of the log for one act. `acts` selects some by name.
 */
const [other, own = resolve(import.meta.dirname, '..'), rounds = '5', ...only] = process.argv.slice(2)
if (other === undefined)
  throw new Error('usage: node bench/acts.ts <other checkout> [this checkout [rounds [acts]]]')
const atOnce = 16

/** What one act costs. */
interface Cost {
  readonly perSecond: number
  readonly nodeUs: number
  readonly postgresUs: number
  readonly logBytes: number
}

interface Side {
  readonly server: OwnServer
  readonly world: World
  readonly acts: Readonly<Record<string, Act>>
}

async function open(checkout: string): Promise<Side> {
  const server = await startOwnServer(checkout)
  const world = await openWorld(server, openClient(server, atOnce))
  return { server, world, acts: actsOf(world) }
}

async function measure({ server, world }: Side, act: Act, round: number): Promise<Cost> {
  const todo = (await act.prepare?.(round)) ?? []
  const count = todo.length || act.times
  const before = await spent(server)
  const began = performance.now()
  await world.client.each(count, (i) => act.run(todo[i] ?? `${round}-${i}`))
  const seconds = (performance.now() - began) / 1000
  const after = await spent(server)
  const one = (of: keyof typeof before) => (after[of] - before[of]) / count
  return {
    perSecond: count / seconds,
    nodeUs: one('nodeUs'),
    postgresUs: one('postgresUs'),
    logBytes: one('logBytes'),
  }
}

/** What a server and its PostgreSQL have spent. */
async function spent({ pid, directory, database }: OwnServer) {
  const [[bytes] = []] = await database.run({
    text: `SELECT pg_current_wal_insert_lsn() - '0/0'`,
    values: [],
  })
  const [postmaster = ''] = readFileSync(join(directory, 'postgres/postmaster.pid'), 'utf8').split('\n')
  const backends = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statOf)
    .filter(({ parent }) => parent === postmaster)
  return {
    nodeUs: statOf(String(pid)).us,
    postgresUs: backends.reduce((sum, { us }) => sum + us, 0),
    logBytes: Number(bytes),
  }
}

/** The kernel counts hundredths of a second. */
const tickUs = 10_000

function statOf(pid: string): { readonly parent: string; readonly us: number } {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return { parent: fields[1] ?? '', us: (Number(fields[11]) + Number(fields[12])) * tickUs }
  } catch {
    return { parent: '', us: 0 }
  }
}

const sides = [await open(other), await open(own)] as const
try {
  printLoad()
  printRow(['act', 'acts/s: other, this', 'ratio', 'Node, µs', 'PostgreSQL, µs', 'log, bytes'])
  printRow(['---', '--:', '--:', '--:', '--:', '--:'])
  for (const name of Object.keys(sides[0].acts)) {
    if (only.length && !only.includes(name)) continue
    const costs: [Cost[], Cost[]] = [[], []]
    // The first round compiles code, and prepares statements.
    for (let round = 0; round <= Number(rounds); round++) {
      for (const at of round % 2 ? ([0, 1] as const) : ([1, 0] as const)) {
        const cost = await measure(sides[at], sides[at].acts[name] as Act, round)
        if (round) costs[at].push(cost)
      }
    }
    const both = (of: keyof Cost) =>
      costs.map((some) => median(some.map((cost) => cost[of])).toFixed(0)).join(', ')
    const ratios = costs[1].map(({ perSecond }, i) => perSecond / (costs[0][i]?.perSecond ?? Number.NaN))
    printRow([
      name,
      both('perSecond'),
      median(ratios).toFixed(2),
      both('nodeUs'),
      both('postgresUs'),
      both('logBytes'),
    ])
  }
  printLoad()
} finally {
  for (const { server, world } of sides) {
    world.client.close()
    await server.stop()
  }
}
