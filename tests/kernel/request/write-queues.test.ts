import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WriteQueues } from '../../../server/kernel/request/write-queues.ts'
import { until } from '../../support/until.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true })
})
afterAll(() => world.close())

test('writes of one object run in order of arrival, also after one that fails', async () => {
  const queues = new WriteQueues()
  const ran: number[] = []
  const runs = [1, 2, 3].map((n) =>
    queues.run('a', async () => {
      await new Promise((done) => setTimeout(done, 10 * (4 - n)))
      ran.push(n)
      if (n === 2) throw new Error('it fails')
      return n
    }),
  )
  const other = queues.run('b', async () => ran.push(0))
  expect(await Promise.allSettled(runs)).toMatchObject([
    { status: 'fulfilled', value: 1 },
    { status: 'rejected' },
    { status: 'fulfilled', value: 3 },
  ])
  await other
  expect(ran).toEqual([0, 1, 2, 3])
})

test('a write is refused when too many wait for the same object, and only then', async () => {
  const queues = new WriteQueues()
  const { promise, resolve } = Promise.withResolvers<void>()
  const runs = Array.from({ length: 1001 }, () => queues.run('a', () => promise))
  await expect(queues.run('a', () => promise)).rejects.toThrow('Too many requests')
  await queues.run('b', async () => {})
  resolve()
  await Promise.all(runs)
  await queues.run('a', async () => {})
})

test.each([
  ['with a key', () => ({ 'idempotency-key': randomUUID() })],
  ['without a key', () => ({})],
])('requests that wait for one object leave the connections to others: %s', async (_, headers) => {
  const make = async (name: string) =>
    (await world.admin.post('/v2/accounts', { data: { type: 'account', name } })).body.data.id as string
  const [contended, other] = [await make('Wanted'), await make('Other')]
  const rename = (id: string, name: string) =>
    world.admin.put(`/v2/accounts/${id}`, { data: { type: 'account', name } }, headers())
  const connection = await world.server.instance.database.pool.connect()
  await connection.query('BEGIN')
  await connection.query('SELECT FROM accounts WHERE store_id = $1 AND id = $2 FOR UPDATE', [
    world.storeId,
    contended,
  ])
  const waiting = Array.from({ length: 60 }, (_, i) => rename(contended, `Wanted ${i}`))
  await until(async () => ((await blocked()) === 1 ? true : undefined))
  expect((await rename(other, 'Other once more')).status).toBe(200)
  expect(await blocked()).toBe(1)
  await connection.query('COMMIT')
  connection.release()
  const replies = await Promise.all(waiting)
  expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 60 }, () => 200))
})

/** How many sessions wait for a lock. */
async function blocked(): Promise<number> {
  const { rows } = await world.sql(
    `SELECT count(DISTINCT pid)::int AS n FROM pg_locks l JOIN pg_stat_activity a USING (pid)
     WHERE NOT l.granted AND a.datname = current_database()`,
  )
  return rows[0].n
}
