import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { actsOf } from './acts/acts.ts'
import { openClient } from './acts/client.ts'
import { namesOf } from './acts/own-sql.ts'
import { openWorld } from './acts/world.ts'
import { type OwnServer, startOwnServer } from './own-server.ts'
import { median, printLoad, printRow } from './pairs.ts'

/**
 * `node bench/nodes.ts <URL of a coordinator> [--through <checkout> --rounds 3 act …]`: what requests take of the
 * processor in all databases: in one PostgreSQL, through the coordinator of Citus (a server of a checkout that knows no
 * nodes), and at the node of their store. The database of the URL is distributed and has no products yet, and all its
 * nodes are on this machine. In turns, medians of the rounds; the first one prepares statements.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    through: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    times: { type: 'string', default: '400' },
  },
})
const [citusUrl = '', ...only] = positionals
const [rounds, times] = [Number(values.rounds), Number(values.times)]
const names = only.length
  ? only
  : ['get account', 'list accounts', 'create account', 'second item', 'checkout of 1 line']
const atOnce = 16
/** What databases do without requests is measured before each round, and left out. */
const idleMs = 3000
/** Until it is known where stores are, and for jobs that follow what was made. */
const settlingMs = 8000

interface Side {
  readonly server: OwnServer
  readonly acts: ReturnType<typeof actsOf>
  /** What the processes of its databases have spent. */
  spent(): ReadonlyMap<string, number>
}

const open = async (
  server: OwnServer,
  postmasters: readonly string[],
  made?: Awaited<ReturnType<typeof openWorld>>,
) => {
  const client = openClient(server, atOnce)
  const world = { ...(made ?? (await openWorld(server, client))), client }
  return { world, side: { server, acts: actsOf(world), spent: () => spentBy(postmasters) } satisfies Side }
}

const plainServer = await startOwnServer()
const ownServer = await startOwnServer(undefined, { beside: { databaseUrl: citusUrl } })
const throughServer = values.through
  ? await startOwnServer(values.through, { beside: { databaseUrl: citusUrl } })
  : undefined
const sides: Record<string, Side> = {}
try {
  const nodes = await ownServer.database.run({
    text: `SELECT result FROM run_command_on_all_nodes($$SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)$$)`,
    values: [],
  })
  const [postmaster = ''] = readFileSync(
    join(plainServer.directory, 'postgres/postmaster.pid'),
    'utf8',
  ).split('\n')
  sides.plain = (await open(plainServer, [postmaster])).side
  const pids = nodes.map(([pid]) => pid as string)
  await sleep(settlingMs)
  const { world, side } = await open(ownServer, pids)
  sides.own = side
  if (throughServer) sides.coordinator = (await open(throughServer, pids, world)).side
  printLoad()
  printRow(['act', ...Object.keys(sides).map((name) => `${name}, ms`), 'own / plain'])
  printRow(['---', ...Object.keys(sides).map(() => '---'), '---'])
  for (const name of names) {
    const spent = await measure(name)
    const ratios = (spent.plain ?? []).map((ms, i) => (spent.own?.[i] ?? Number.NaN) / ms)
    printRow([
      name,
      ...Object.values(spent).map((some) => median(some).toFixed(2)),
      median(ratios).toFixed(2),
    ])
  }
  printLoad()
} finally {
  for (const server of [throughServer, ownServer, plainServer]) await server?.stop()
}

/** The processor time of databases for one act, in each round. */
async function measure(name: string): Promise<Readonly<Record<string, readonly number[]>>> {
  const spent: Record<string, number[]> = Object.fromEntries(Object.keys(sides).map((side) => [side, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const [of, { acts, spent: look }] of Object.entries(sides)) {
      const act = acts[name]
      if (!act) throw new Error(`no act ${name}`)
      const objects = (await act.prepare?.(`${of}${round}`, times)) ?? namesOf(`${of}${round}`, times)
      const rests = look()
      await sleep(idleMs)
      const before = look()
      const idle = msBetween(rests, before) / idleMs
      const beganMs = performance.now()
      for (let next = 0; next < times; next += atOnce)
        await Promise.all(objects.slice(next, next + atOnce).map((object) => act.run(object)))
      const ms = msBetween(before, look()) - idle * (performance.now() - beganMs)
      if (round) spent[of]?.push(ms / times)
    }
  }
  return spent
}

/** The processor time of each process of these servers so far, by its id. */
function spentBy(postmasters: readonly string[]): ReadonlyMap<string, number> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return new Map(
    pids.flatMap((pid) => {
      try {
        const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
        if (!postmasters.includes(fields[1] ?? '')) return []
        // In nanoseconds: `stat` counts hundredths of a second.
        return [[pid, Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6] as const]
      } catch {
        // It has ended.
        return []
      }
    }),
  )
}

/** Of the processes that have not ended meanwhile. */
function msBetween(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): number {
  return [...after].reduce((sum, [pid, ms]) => sum + ms - (before.get(pid) ?? 0), 0)
}
