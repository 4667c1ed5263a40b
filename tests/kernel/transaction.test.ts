import { afterAll, beforeAll, expect, test } from 'vitest'
import { Database } from '../../server/kernel/storage/database.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

test.each(['before a statement', 'before it is committed'])(
  'a transaction that loses the database %s is an outage, not a bug, and the next one works',
  async (when) => {
    const { database } = world.server.instance
    const lost = database.transaction(async (transaction) => {
      const [row] = await transaction.run({ text: 'SELECT pg_backend_pid()', values: [] })
      await world.sql('SELECT pg_terminate_backend($1, 5000)', [row?.[0]])
      if (when.includes('statement')) await transaction.run({ text: 'SELECT 1', values: [] })
    })
    await expect(lost).rejects.toMatchObject({ code: 'unavailable', status: 503 })
    const one = await database.transaction((transaction) => transaction.run({ text: 'SELECT 1', values: [] }))
    expect(one).toEqual([['1']])
  },
)

test('a database whose name is known to nobody while it is restarted, as in a container, is an outage too', async () => {
  const database = new Database('postgres://sutler@no-such-host.invalid/sutler', 1)
  const lost = database.run({ text: 'SELECT 1', values: [] })
  await expect(lost).rejects.toMatchObject({ code: 'unavailable', status: 503 })
  await database.close()
})
