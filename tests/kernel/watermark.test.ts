import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Database } from '../../server/kernel/storage/database.ts'
import { Watermark } from '../../server/kernel/storage/watermark.ts'
import { tries } from '../support/long.ts'
import { type OwnDatabase, ownDatabase } from '../support/own-database.ts'

/**
 * A reader that asks for what changed since the watermark of its last reading never misses a row, however late a write
 * commits, whatever the clock of its process shows, and also if the process is killed.
 */

let own: OwnDatabase
let databases: readonly Database[]
beforeAll(async () => {
  own = await ownDatabase()
  databases = [new Database(own.url, 2), new Database(own.url, 2)]
})
afterAll(async () => {
  await Promise.all(databases.map((database) => database.close()))
  await own.drop()
})

const log = pino({ level: 'silent' })
const storeId = randomUUID()
const hourMs = 3_600_000

const clockThatIs = (skewMs: number) => ({ now: () => new Date(Date.now() + skewMs) })
const processWith = (skewMs: number, n = 0) =>
  new Watermark(databases[n] as Database, clockThatIs(skewMs), log, 0)

async function connect(): Promise<pg.Client> {
  const client = new pg.Client(own.url)
  client.on('error', () => {})
  await client.connect()
  return client
}

/** The statements of the kernel, at a time that a process has taken from its clock before. */
const insert = (client: pg.Client, id: string, at: Date) =>
  client.query(
    `INSERT INTO accounts (store_id, id, created_at, updated_at, doc)
     SELECT $1, $2, $3, $3, '{"name": "0"}' FROM set_config('sutler.by', 'tests tests', true) RETURNING created_at, updated_at`,
    [storeId, id, at],
  )
const update = (client: pg.Client, id: string, at: Date) =>
  client.query(
    `UPDATE accounts SET version = version + 1, updated_at = greatest(updated_at, fenced($3)),
       doc = json_build_object('name', (version + 1)::text)
     FROM set_config('sutler.by', 'tests tests', true) WHERE store_id = $1 AND id = $2 RETURNING updated_at`,
    [storeId, id, at],
  )

/** Passes until the watermark is this late. */
async function reach(watermark: Watermark, time: Date): Promise<void> {
  for (let i = 0; i < 100; i++) {
    await watermark.pass()
    if (watermark.time && watermark.time >= time) return
    await sleep(50)
  }
  throw new Error(`the watermark stays at ${watermark.time?.toISOString()}`)
}

test('a write with an old time gets the time of the fence; what is imported with its own times keeps them', async () => {
  const watermark = processWith(0)
  await reach(watermark, new Date(Date.now() - 1500))
  const client = await connect()
  const [id, old] = [randomUUID(), new Date(Date.now() - hourMs)]
  const { created_at, updated_at } = (await insert(client, id, old)).rows[0]
  expect([created_at >= (watermark.time as Date), updated_at]).toEqual([true, created_at])
  await own.sql(`UPDATE accounts SET updated_at = $2 WHERE id = $1`, [id, old])
  expect((await update(client, id, old)).rows[0].updated_at >= (watermark.time as Date)).toBe(true)
  await client.query(`SET sutler.keep_times = 'on'`)
  expect((await insert(client, randomUUID(), old)).rows[0].created_at).toEqual(old)
  await client.end()
})

test('the watermark waits for a transaction that has written, and not for one that reads', async () => {
  const watermark = processWith(0)
  const [writer, reader] = [await connect(), await connect()]
  await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM accounts')
  await writer.query('BEGIN')
  const { updated_at } = (await insert(writer, randomUUID(), new Date())).rows[0]
  for (const until = Date.now() + 2500; Date.now() < until; await sleep(100)) await watermark.pass()
  expect(watermark.time === undefined || watermark.time <= updated_at).toBe(true)
  await writer.query('COMMIT')
  await reach(watermark, new Date(updated_at.getTime() + 1000))
  await Promise.all([writer.end(), reader.end()])
})

test('a clock that is an hour ahead does not take the others with it; the others keep one that is behind', async () => {
  const [ahead, behind] = [processWith(hourMs, 0), processWith(-hourMs, 1)]
  await reach(ahead, new Date(Date.now() - 1500))
  expect((ahead.time as Date).getTime()).toBeLessThanOrEqual(Date.now())
  await reach(behind, ahead.time as Date)
})

test('after the database was started again, the watermark is learned anew', async () => {
  const watermark = processWith(0)
  await reach(watermark, new Date(Date.now() - 1500))
  let began = '2026-01-01'
  const restarted = new Watermark(
    {
      run: async (sql) =>
        (await (databases[0] as Database).run(sql)).map((tuple) => [...tuple.slice(0, -1), began]),
    },
    clockThatIs(0),
    log,
    0,
  )
  await reach(restarted, watermark.time as Date)
  began = '2026-01-02'
  await restarted.pass()
  expect(restarted.time).toBeUndefined()
  await reach(restarted, watermark.time as Date)
})

interface Write {
  readonly isNew: boolean
  /** How wrong the clock of its process is. */
  readonly skewMs: number
  /** From the clock to the statement: it waits for a connection, or a client. */
  readonly waitMs: number
  /** From the statement to the end. */
  readonly holdMs: number
  readonly snapshot: boolean
  readonly ends: 'commit' | 'rollback' | 'kill'
}

const write = fc.record<Write>({
  isNew: fc.boolean(),
  skewMs: fc.constantFrom(0, 0, 40, -2000, -20_000, 2000),
  waitMs: fc.constantFrom(0, 0, 5, 300, 1500),
  holdMs: fc.constantFrom(0, 0, 5, 100, 1200),
  snapshot: fc.constantFrom(false, false, false, true),
  ends: fc.constantFrom('commit', 'commit', 'commit', 'commit', 'rollback', 'kill'),
})

/** Returns whether its time was raised. */
async function carryOut(
  { isNew, skewMs, waitMs, holdMs, snapshot, ends }: Write,
  ids: string[],
): Promise<boolean> {
  const client = await connect()
  const at = new Date(Date.now() + skewMs)
  const begun = snapshot ? 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM accounts' : 'BEGIN'
  let raised = false
  try {
    await client.query(begun)
    await sleep(waitMs)
    const id = isNew ? randomUUID() : (ids[Math.floor(Math.random() * ids.length)] as string)
    const { rows } = await (isNew ? insert : update)(client, id, at)
    raised = isNew && rows[0].updated_at > at
    await sleep(holdMs)
    if (ends === 'kill')
      (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
    else await client.query(ends)
    if (isNew && ends === 'commit') ids.push(id)
  } catch (error) {
    // In a snapshot a row that another writer has changed cannot be changed.
    if ((error as { code?: string }).code !== '40001') throw error
  }
  if (ends !== 'kill') await client.end()
  return raised
}

const versions = async (client: pg.Client, since: Date | undefined) =>
  (
    await client.query('SELECT id, version FROM accounts WHERE store_id = $1 AND updated_at >= $2', [
      storeId,
      since ?? '-infinity',
    ])
  ).rows as readonly { id: string; version: number }[]

/** Lets writers write, and a follower read meanwhile. Returns what the follower missed. */
async function follow(writes: readonly Write[]) {
  const watermarks = [processWith(30, 0), processWith(-700, 1)] as const
  const reader = await connect()
  const [ids, copy]: [string[], Map<string, number>] = [[], new Map()]
  await carryOut({ isNew: true, skewMs: 0, waitMs: 0, holdMs: 0, snapshot: false, ends: 'commit' }, ids)
  let writing = true
  let since: Date | undefined
  const marks = new Set<number>()
  const passing = watermarks.map(async (watermark, n) => {
    for (; writing; await sleep(60 + n * 50)) await watermark.pass()
  })
  // Each reading is answered by one of the two processes.
  const sync = async (n: number) => {
    const next = watermarks[n % 2]?.time
    for (const { id, version } of await versions(reader, since)) copy.set(id, version)
    since = next ?? since
    if (next) marks.add(next.getTime())
  }
  const following = (async () => {
    for (let n = 0; writing; n++, await sleep(20)) await sync(n)
  })()
  const queue = [...writes]
  const raised = await Promise.all(
    Array.from({ length: 12 }, async () => {
      let count = 0
      for (let next = queue.pop(); next; next = queue.pop()) count += Number(await carryOut(next, ids))
      return count
    }),
  )
  writing = false
  await Promise.all([following, ...passing])
  await sync(0)
  const all = await versions(reader, undefined)
  await reader.end()
  return {
    missed: all.filter(({ id, version }) => copy.get(id) !== version).length,
    marks: marks.size,
    raised: raised.reduce((sum, count) => sum + count, 0),
  }
}

const some = fc.array(write, { minLength: 150, maxLength: 200 })

test('a reader that starts from its last watermark misses nothing', { timeout: 600_000 }, async () => {
  const totals = { runs: 0, marks: 0, raised: 0 }
  await fc.assert(
    fc.asyncProperty(some, async (writes) => {
      const { missed, marks, raised } = await follow(writes)
      expect(missed).toBe(0)
      totals.runs += 1
      totals.marks += marks
      totals.raised += raised
    }),
    { numRuns: tries(2, 30), endOnFailure: true },
  )
  // The watermark must have moved, and writes have come late. A long transaction of another test delays it for a while.
  expect(Math.min(totals.marks, totals.raised)).toBeGreaterThan(totals.runs)
})

const guards = [
  ['the trigger for new rows', 'ALTER TABLE accounts DISABLE TRIGGER fence_times'],
  [
    'the function for changes',
    'CREATE OR REPLACE FUNCTION fenced(instant timestamptz) RETURNS timestamptz LANGUAGE sql AS $$ SELECT instant $$',
  ],
] as const

test.each(guards)('without %s it would miss rows', { timeout: 600_000 }, async (_, cut) => {
  const { rows } = await own.sql(`SELECT pg_get_functiondef('fenced'::regproc) AS text`)
  await own.sql(cut)
  try {
    const [writes = []] = fc.sample(some, 1)
    expect((await follow(writes)).missed).toBeGreaterThan(0)
  } finally {
    await own.sql(`ALTER TABLE accounts ENABLE TRIGGER fence_times`)
    await own.sql(rows[0].text)
  }
})

test('a change does not wait for those who share the row', async () => {
  const [sharer, writer] = [await connect(), await connect()]
  const id = randomUUID()
  await insert(writer, id, new Date())
  await sharer.query('BEGIN')
  await sharer.query('SELECT FROM accounts WHERE id = $1 FOR KEY SHARE', [id])
  await writer.query(`SET lock_timeout = '2s'`)
  expect((await update(writer, id, new Date())).rowCount).toBe(1)
  await Promise.all([sharer.end(), writer.end()])
})
