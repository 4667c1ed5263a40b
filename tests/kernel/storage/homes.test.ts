import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Problem } from '../../../server/kernel/errors.ts'
import type { Database, Sql, Tuple } from '../../../server/kernel/storage/database.ts'
import { NodeHomes, oneHome, urlOfNode } from '../../../server/kernel/storage/nodes/homes.ts'

const settledMs = 3000

/** What Citus says of the groups of stores. */
interface Group {
  least: number
  most: number
  place: string
  port: number
}

let groups: Group[]
/** Nodes that do not answer this process, and those that do not answer the coordinator either. */
let [silent, dead]: Set<number>[] = []
/** What was sent where. */
let sent: string[]
/** Which group a server says that it is, by its port. */
let saysIt: Map<number, string>
let warnings: string[]
const hashes = new Map<string, number>()
const [low, high] = [randomUUID(), randomUUID()]
hashes.set(low, -5).set(high, 5)

const databaseThat = (name: string, answer: (sql: Sql) => readonly Tuple[]) => {
  const run = async (sql: Sql) => answer(sql)
  const transaction: Database['transaction'] = async (work) => work({ run } as never)
  const source = { run, quick: run, transaction }
  const close = async () => void sent.push(`${name} is closed`)
  return { ...source, reading: () => source, connections: [], close } as unknown as Database
}

const coordinator = databaseThat('coordinator', ({ text, values }) => {
  if (text.includes('pg_dist_shard'))
    return groups.map(({ least, most, place, port }) =>
      [least, most, place, 'node', port, port, port === 0 ? 'f' : 't'].map(String),
    )
  if (text.includes('worker_hash'))
    return (values[0] as string[]).map((id) => [id, String(hashes.get(id) ?? 0)])
  if (text.includes('citus_check')) return [[dead?.has(values[1] as number) ? 'f' : 't']]
  sent.push(`coordinator: ${text}`)
  return []
})

const nodeAt = (port: number) =>
  databaseThat(`${port}`, ({ text }) => {
    if (silent?.has(port)) {
      const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
      throw new Problem('unavailable', 'The database is not reachable.', { cause })
    }
    if (text.includes('pg_dist_local_group')) return [[saysIt.get(port) ?? String(port)]]
    sent.push(`${port}: ${text}`)
    return []
  })

let homes: NodeHomes
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  groups = [
    { least: -10, most: -1, place: 'a', port: 1 },
    { least: 0, most: 10, place: 'b', port: 2 },
  ]
  ;[silent, dead] = [new Set(), new Set()]
  ;[sent, warnings, saysIt] = [[], [], new Map()]
  const log = pino({ level: 'warn' }, { write: (line) => void warnings.push(JSON.parse(line).msg) })
  const open = ({ port }: { port: number }) => ({ requests: nodeAt(port), jobs: nodeAt(port) })
  homes = new NodeHomes({ requests: coordinator, jobs: coordinator }, open, log, settledMs)
  await homes.refresh()
})
afterEach(async () => {
  await homes.stop()
  vi.useRealTimers()
})

const ask = (store: string, text: string) => homes.requests.of(store).run({ text, values: [] })

/** Everything is known, for long enough. */
async function settle() {
  for (const store of [low, high]) await ask(store, 'first')
  await turn()
  vi.advanceTimersByTime(settledMs)
  await homes.refresh()
  sent.length = 0
}

test('the coordinator serves a store until its node is known for some seconds', async () => {
  await ask(low, 'unknown')
  await turn()
  await ask(low, 'just named')
  vi.advanceTimersByTime(settledMs - 1)
  await ask(low, 'not yet')
  vi.advanceTimersByTime(1)
  await ask(low, 'known')
  expect(sent).toEqual([
    'coordinator: unknown',
    'coordinator: just named',
    'coordinator: not yet',
    '1: known',
  ])
})

test('all that a store sends goes to its node: short reads, writes, transactions, slow reads', async () => {
  await settle()
  const sql = (text: string) => ({ text, values: [] })
  for (const home of [homes.requests.of(high), homes.jobs.of(high)]) {
    await home.quick(sql('quick'))
    await home.transaction((inside) => inside.run(sql('in a transaction')))
    const reading = home.reading(() => new AbortController().signal)
    await reading.quick(sql('read'))
    await reading.run(sql('slow read'))
    await reading.transaction((inside) => inside.run(sql('export')), 'export')
  }
  expect(sent).toHaveLength(10)
  expect(sent.every((one) => one.startsWith('2: '))).toBe(true)
})

test('what has no store, or one with another id, is for the coordinator', async () => {
  await settle()
  await ask('', 'no store')
  await ask('not an id', 'no id')
  await turn()
  expect(sent).toEqual(['coordinator: no store', 'coordinator: no id'])
})

test('a store that has moved is not sent to its new node in the moment in which it arrives', async () => {
  await settle()
  groups[0] = { least: -10, most: -1, place: 'a moved', port: 2 }
  await ask(low, 'at the old node')
  await homes.refresh()
  await ask(low, 'on the way')
  vi.advanceTimersByTime(settledMs)
  await ask(low, 'at the new node')
  expect(sent).toEqual(['1: at the old node', 'coordinator: on the way', '2: at the new node'])
})

test('a store that is isolated has a group of its own, and the others of its group wait with it', async () => {
  await settle()
  groups.splice(
    1,
    1,
    { least: 0, most: 4, place: 'b1', port: 2 },
    { least: 5, most: 5, place: 'b2', port: 3 },
    { least: 6, most: 10, place: 'b3', port: 2 },
  )
  await homes.refresh()
  await ask(high, 'on the way')
  vi.advanceTimersByTime(settledMs)
  await ask(high, 'alone')
  await ask(low, 'as before')
  expect(sent).toEqual(['coordinator: on the way', '3: alone', '1: as before'])
})

test('while a node is away its stores are refused at once, others are served, and it comes back', async () => {
  await settle()
  silent?.add(1)
  dead?.add(1)
  await expect(ask(low, 'cut')).rejects.toMatchObject({ code: 'unavailable' })
  await turn()
  // Nothing is sent to it any more.
  silent?.delete(1)
  await expect(ask(low, 'refused')).rejects.toMatchObject({ code: 'unavailable' })
  await ask(high, 'served')
  await homes.refresh()
  await ask(low, 'back')
  expect(sent).toEqual(['2: served', '1: back'])
  expect(warnings).toEqual(['the node node:1 of the database is away: connect ECONNREFUSED'])
})

test('the coordinator serves the stores of a node that only it can reach, and the log says so once', async () => {
  silent?.add(1)
  await settle()
  await ask(low, 'relayed')
  await homes.refresh()
  await ask(low, 'again')
  expect(sent).toEqual(['coordinator: relayed', 'coordinator: again'])
  expect(warnings).toEqual([
    'the coordinator serves the stores of the node node:1 of the database, which takes longer: connect ECONNREFUSED',
  ])
})

test('another server under the name of a node gets nothing', async () => {
  saysIt.set(1, '7')
  await settle()
  await ask(low, 'relayed')
  expect(sent).toEqual(['coordinator: relayed'])
  expect(warnings[0]).toContain('another server has this name')
})

test('a node that has no stores any more is used no more, and its connections are closed', async () => {
  await settle()
  const home = homes.requests.of(low)
  groups[0] = { least: -10, most: -1, place: 'c', port: 0 }
  await homes.refresh()
  vi.advanceTimersByTime(settledMs)
  // Whoever holds the home of the store needs no other one.
  await home.run({ text: 'at the coordinator', values: [] })
  await homes.stop()
  expect(sent[0]).toBe('coordinator: at the coordinator')
  expect(sent.filter((one) => one === '1 is closed')).toHaveLength(2)
})

test('on one PostgreSQL the home of each store is the database itself', () => {
  expect(oneHome(coordinator).of(low)).toBe(coordinator)
})

test.each([
  [
    'postgres://u:p%40@db.example:5432/shop?sslmode=require',
    'postgres://u:p%40@node-2:6000/shop?sslmode=require',
  ],
  ['postgres://u@db.example/shop?host=/run/postgresql', 'postgres://u@node-2:6000/shop'],
  ['postgresql://db.example', 'postgresql://node-2:6000'],
])('the URL of a node is %s with its host', (url, expected) => {
  expect(urlOfNode(url, { host: 'node-2', port: 6000 })).toBe(expected)
})

test('a node may have an IPv6 address', () => {
  expect(urlOfNode('postgres://u@db/shop', { host: 'fd00::2', port: 6000 })).toBe(
    'postgres://u@[fd00::2]:6000/shop',
  )
})
