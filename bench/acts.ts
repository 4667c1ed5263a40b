import { fork } from 'node:child_process'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Act, actsOf, type World } from './acts/acts.ts'
import { type Client, openClient } from './acts/client.ts'
import { type Cost, costOf } from './acts/cost.ts'
import {
  namesOf,
  ownedBy,
  type Recording,
  type Replay,
  Replayer,
  recordAll,
  replayFor,
} from './acts/own-sql.ts'
import { openWorld } from './acts/world.ts'
import type { Bare } from './bare.ts'
import { type OwnServer, startOwnServer } from './own-server.ts'
import { median, printLoad, printRow } from './pairs.ts'

/**
 * `npm run bench [-- --other <checkout> --rounds 5 act …]`: what a client waits for, 16 at once. In turns: the act, its
 * own SQL (the statements that the server sends for it, through the same driver), its bare form (one statement behind
 * node:http), and the same act on a server of another checkout, such as yesterday's commit. Prints the rows of the
 * table in docs/benchmarks.md: medians of the rounds.
 */
const { values, positionals: only } = parseArgs({
  allowPositionals: true,
  options: {
    other: { type: 'string' },
    own: { type: 'string', default: resolve(import.meta.dirname, '..') },
    rounds: { type: 'string', default: '5' },
  },
})
const rounds = Number(values.rounds)
const atOnce = 16
/** An act may take so many times as long as its own SQL. */
const sqlAim = 2

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

/** One way of doing an act: prepares a round, and does it. The result is what the round costs. */
type Way = (round: number) => Promise<Cost>

const timed = async (client: Pick<Client, 'each'>, count: number, run: (i: number) => Promise<unknown>) => {
  const began = performance.now()
  await client.each(count, run)
  return count / ((performance.now() - began) / 1000)
}

function byRequests({ server, world: { client }, acts }: Side, name: string): Way {
  const act = acts[name] as Act
  return async (round) => {
    const objects = (await act.prepare?.(`${round}`, act.times)) ?? namesOf(`${round}`, act.times)
    return costOf(server, act.times, () => timed(client, act.times, (i) => act.run(objects[i] as string)))
  }
}

/** Prepared objects of their own, since an act changes them. */
function bySql({ server, world, acts }: Side, name: string, recording: Recording, replayer: Replayer): Way {
  const act = acts[name] as Act
  return async (round) => {
    const label = `sql${round}`
    const objects = (await act.prepare?.(label, act.times)) ?? namesOf(label, act.times)
    const replays: Replay[] = []
    for (const object of objects) replays.push(replayFor(recording, await ownedBy(act, object, server)))
    return costOf(server, act.times, () =>
      timed(world.client, act.times, (i) => replayer.run(replays[i] ?? [])),
    )
  }
}

function byBareHttp({ server, world: { client }, acts }: Side, name: string, bare: Client): Way {
  const act = acts[name] as Act
  const path = `/${encodeURIComponent(name)}`
  return () => costOf(server, act.times, () => timed(client, act.times, () => bare.send('GET', path)))
}

async function startBare({ server, acts }: Side, names: readonly string[]) {
  const statements: Record<string, Bare> = {}
  for (const name of names) {
    const bare = await acts[name]?.bare?.()
    if (bare) statements[encodeURIComponent(name)] = bare
  }
  const child = fork(new URL('./bare.ts', import.meta.url))
  child.send({ databaseUrl: server.databaseUrl, statements })
  const port = await new Promise<number>((done) => child.once('message', (sent) => done(Number(sent))))
  return { child, client: openClient({ url: `http://127.0.0.1:${port}`, token: '' }, atOnce) }
}

/** The ways take turns, each first once. The first round compiles code, and prepares statements. */
async function measure<W extends string>(ways: Readonly<Partial<Record<W, Way>>>) {
  const names = Object.keys(ways) as W[]
  const costs = {} as Record<W, Cost[]>
  for (let round = 0; round <= rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(turn + round) % names.length] as W
      const cost = await ways[name]?.(round)
      if (round && cost) costs[name] = [...(costs[name] ?? []), cost]
    }
  }
  return costs
}

const number = (costs: readonly Cost[] = [], of: keyof Cost, digits = 0): string =>
  costs.length ? median(costs.map((cost) => cost[of])).toFixed(digits) : '–'

/** The median of the ratios of each round. */
const ratioOf = (one: readonly Cost[] = [], other: readonly Cost[] = []): number =>
  median(one.map(({ perSecond }, i) => perSecond / (other[i]?.perSecond ?? Number.NaN)))

/** Says whether an aim is met, where there is one. */
const verdict = (isMet: boolean, aim: number | undefined): string =>
  aim === undefined ? '' : ` (${aim}: ${isMet ? 'met' : 'missed'})`

const ratioText = (ratio: number): string => (Number.isNaN(ratio) ? '–' : ratio.toFixed(2))

const other = values.other === undefined ? undefined : await open(values.other)
const own = await open(values.own)
const selected = Object.keys(own.acts).filter((name) => !only.length || only.includes(name))
const recordings = await recordAll(
  own.server,
  own.world,
  selected.filter((name) => own.acts[name]?.isReplayed !== false),
)
const replayer = new Replayer(own.server.databaseUrl)
const bare = await startBare(own, selected)
try {
  printLoad()
  printRow([
    ...['act', 'acts/s', `times its SQL (aim: ${sqlAim})`, 'of bare (aim)', 'of the other commit'],
    ...['Node, µs', 'PostgreSQL, µs', 'log, bytes'],
  ])
  printRow(['---', ...Array<string>(7).fill('--:')])
  for (const name of selected) {
    try {
      printRow(await rowOf(name))
    } catch (error) {
      process.exitCode = 1
      process.stdout.write(`${name}: ${error}\n`)
    }
  }
  printLoad()
} finally {
  bare.client.close()
  bare.child.kill('SIGTERM')
  await replayer.close()
  for (const side of [own, other]) {
    side?.world.client.close()
    await side?.server.stop()
  }
}

/** Each side has the rows of the acts before. The one that began last would else read some that no vacuum has seen. */
async function vacuum(): Promise<void> {
  for (const side of [own, other])
    await side?.server.database.run({ text: 'VACUUM ANALYZE', values: [], long: true })
}

/** A row of the table. */
async function rowOf(name: string): Promise<readonly string[]> {
  const act = own.acts[name] as Act
  const recording = recordings.get(name)
  await vacuum()
  const costs = await measure({
    own: byRequests(own, name),
    ...(recording && { sql: bySql(own, name, recording, replayer) }),
    ...(act.bare && { bare: byBareHttp(own, name, bare.client) }),
    ...(other?.acts[name] && { other: byRequests(other, name) }),
  })
  const [ofSql, ofBare] = [ratioOf(costs.sql, costs.own), ratioOf(costs.own, costs.bare)]
  const cells = [
    ratioText(ofSql) + verdict(ofSql <= sqlAim, Number.isNaN(ofSql) ? undefined : sqlAim),
    ratioText(ofBare) + verdict(ofBare >= (act.ofBareMin ?? 0), act.ofBareMin),
    ratioText(ratioOf(costs.own, costs.other)),
  ]
  const both = (of: keyof Cost) => [costs.other, costs.own].flatMap((one) => (one ? number(one, of) : []))
  return [
    ...[name, number(costs.own, 'perSecond'), ...cells],
    ...(['nodeUs', 'postgresUs', 'logBytes'] as const).map((of) => both(of).join(' → ')),
  ]
}
