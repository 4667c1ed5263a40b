import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Database } from '../../../server/kernel/storage/database.ts'
import { Nodes } from '../../../server/kernel/storage/nodes/nodes.ts'
import { Store } from '../../../server/kernel/storage/store.ts'
import type { Work } from '../../../server/kernel/work/context.ts'
import { moveJobs, Outbox } from '../../../server/kernel/work/outbox.ts'
import { keysInUse, queue, queueLong } from '../../../server/kernel/work/queue.ts'
import { citusUrl } from '../../support/citus-url.ts'
import { type OwnDatabase, ownDatabase } from '../../support/own-database.ts'

let own: OwnDatabase
let database: Database
let work: Work
const notes: string[] = []
beforeAll(async () => {
  own = await ownDatabase()
  database = new Database(own.url, 3)
  const { rows } = await own.sql('SELECT id FROM stores LIMIT 1')
  const store = new Store(rows[0].id, database, () => new Date(), 'ada request')
  const outbox = {
    note: (id: string) => void notes.push(`note ${id === store.id}`),
    wake: (id: string) => void notes.push(`wake ${id === store.id}`),
  }
  work = { store, instance: { outbox, database } } as unknown as Work
})
afterAll(async () => {
  await database.close()
  await own.drop()
})

const short = (what: string, key?: string) =>
  queue(work, { name: 'tests:short', attemptsMax: 3 }, { what }, key === undefined ? {} : { key })

const inQueue = async () => {
  const { rows } = await own.sql(
    `SELECT j.payload, j.max_attempts AS most, j.key FROM graphile_worker._private_jobs j
     WHERE j.payload->>'store' = $1 ORDER BY j.id`,
    [work.store.id],
  )
  return rows
}
const counted = async (table: string) =>
  (await own.sql(`SELECT count(*)::int AS n FROM ${table}`)).rows[0].n as number

const move = (store = work.store.id) =>
  database.run({ text: 'SELECT job FROM move_jobs($1, 10)', values: [[store]] })

test('a job is in the queue once, also if the process dies before it is out of the outbox', async () => {
  await short('one')
  expect(notes.splice(0)).toEqual(['note true', 'wake true'])
  await work.store.transaction(async (store) => {
    await queueLong({ ...work, store } as Work, { name: 'tests:long' }, { what: 'two' })
  })
  expect(notes.splice(0)).toEqual(['note true'])
  expect(await move()).toHaveLength(2)
  expect(await move()).toHaveLength(2)
  expect([await counted('job_outbox'), await counted('moved_jobs')]).toEqual([2, 2])
  // What is left is found without anybody that knows of it.
  const opened = await Outbox.open(database, new Nodes(database), pino({ level: 'silent' }))
  if (opened) await expect.poll(() => counted('moved_jobs'), { timeout: 5000 }).toBe(0)
  await opened?.stop()
  expect([await counted('job_outbox'), await counted('moved_jobs')]).toEqual([0, 0])
  const payload = { store: work.store.id, by: 'ada request', payload: { what: 'one' } }
  expect(await inQueue()).toEqual([{ payload, most: 3, key: null }])
  const { rows: long } = await own.sql('SELECT name, author, payload FROM long_jobs')
  expect(long).toEqual([{ name: 'tests:long', author: 'ada request', payload: { what: 'two' } }])
})

test('a later job takes the place of an earlier one with its key, in the outbox and in the queue', async () => {
  const keyed = async () =>
    (await inQueue()).filter(({ key }) => key).map(({ payload }) => payload.payload.what)
  await short('first', 'place')
  await short('second', 'place')
  expect(await keysInUse(work, ['place', 'elsewhere'])).toEqual(new Set(['place']))
  expect(await counted('job_outbox')).toBe(1)
  await moveJobs(database, [work.store.id])
  expect(await keyed()).toEqual(['second'])
  expect(await keysInUse(work, ['place', 'elsewhere'])).toEqual(new Set(['place']))
  // It comes between the statement that reads the outbox and the one that takes out what it has read.
  await short('third', 'place')
  const [[id] = []] = await move()
  await short('fourth', 'place')
  await database.run({
    text: 'SELECT forget_moved($1, $2, $3)',
    values: [work.store.id, [work.store.id], [id]],
  })
  expect(await counted('job_outbox')).toBe(1)
  await moveJobs(database, [work.store.id])
  expect(await keyed()).toEqual(['fourth'])
  expect([await counted('job_outbox'), await counted('moved_jobs')]).toEqual([0, 0])
})

test('a rollback leaves no job, and another store holds up nobody', async () => {
  const undone = work.store.transaction(async (store) => {
    await queue({ ...work, store } as Work, { name: 'tests:short', attemptsMax: 1 }, {})
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  expect(await counted('job_outbox')).toBe(0)
  await short('last')
  expect(await move(randomUUID())).toEqual([])
  expect(await counted('job_outbox')).toBe(1)
})

test.skipIf(citusUrl)('one PostgreSQL has no outbox', async () => {
  expect(await Outbox.open(database, new Nodes(database), pino({ level: 'silent' }))).toBeUndefined()
  expect(await counted('job_outbox')).toBe(0)
})
