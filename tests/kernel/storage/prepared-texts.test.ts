import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Connection } from '../../../server/kernel/storage/database.ts'
import { operations } from '../../builders/samples.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'

let world: World
beforeAll(async () => {
  // One connection, so that the query for prepared statements sees them.
  world = await openWorld({ ...appAndWorkshop, env: { SUTLER_DATABASE_CONNECTIONS: '1' } })
})
afterAll(() => world.close())

async function preparedOn(connection: Pick<Connection, 'run'>): Promise<string[]> {
  const rows = await connection.run({
    text: 'SELECT statement FROM pg_prepared_statements',
    values: [],
    once: true,
  })
  return rows.map(([statement]) => statement as string)
}

const preparedMax = 500

test('a list has few statement texts for all limits, offsets and orders', async () => {
  const { database } = world.server.instance
  const lists = operations.flatMap(({ path, of }) =>
    of.is === 'resource' && of.name === 'list' && !path.includes(':') ? [{ path, of }] : [],
  )
  expect(lists.length).toBeGreaterThan(5)
  let texts = 0
  for (const [i, { path, of }] of lists.entries()) {
    const ask = async (query: string) => {
      const { status } = await world.admin.get(`${path}?${query}`)
      expect([path, query, status]).toEqual([path, query, 200])
    }
    // Every limit of two lists alone would be more than a connection keeps.
    for (let limit = 0; limit <= 100; limit += i < 2 ? 1 : 50) {
      await ask(`page[limit]=${limit}`)
      await ask(`page[limit]=${limit}&page[offset]=${limit * 7}`)
    }
    const orders = (of.resource.sort ?? []).flatMap((field) => [field, `-${field}`])
    for (const sort of orders) {
      for (const limit of [1, 99]) {
        await ask(`sort=${sort}&page[limit]=${limit}`)
        await ask(`sort=${sort}&page[limit]=${limit}&page[offset]=${limit + 3}`)
        await ask(`sort=${sort}&page[limit]=${limit}&page[after]=`)
      }
    }
    // Two for each order, and for the one of its own: the first page, and what lies deeper.
    texts += 2 * (orders.length + 1)
  }
  // Asked for one after the other, all were on the first of the connections that pages share.
  const prepared = await preparedOn({ run: (sql) => database.quick({ ...sql, page: true }) })
  const pages = prepared.filter((text) => text.startsWith('WITH t AS'))
  expect(pages.length).toBeGreaterThan(texts / 2)
  expect(pages.length).toBeLessThanOrEqual(texts)
  expect(prepared.length).toBeLessThan(preparedMax)

  // What comes after all of them is prepared like anything else.
  const late = 'SELECT 1 FROM stores WHERE id = $1'
  await database.run({ text: late, values: [world.storeId] })
  expect(await preparedOn(database)).toContain(late)
}, 120_000)

/** Each gives back its own number. */
const numbered = (n: number) => ({ text: `SELECT ${n}, $1::text`, values: ['x'] })
const used = { text: `SELECT 'often used', $1::text`, values: ['x'] }

test('the statements in use stay prepared when there are more than a connection keeps', async () => {
  const { database } = world.server.instance
  const many = preparedMax * 2 + 100
  const broken = { text: 'SELECT FROM nowhere', values: [] }
  await expect(database.run(broken)).rejects.toThrow('nowhere')
  await database.transaction(async (transaction) => {
    for (let n = 0; n < many; n++) {
      expect(await transaction.run(numbered(n))).toEqual([[String(n), 'x']])
      if (n % 100 === 0) await transaction.run(used)
    }
  })
  const prepared = await preparedOn(database)
  expect(prepared.length).toBe(preparedMax)
  expect(prepared).toContain(used.text)
  expect(prepared).toContain(numbered(many - 1).text)
  expect(prepared).not.toContain(numbered(0).text)
  expect(await database.run(numbered(0))).toEqual([['0', 'x']])
  expect(await preparedOn(database)).toContain(numbered(0).text)
})

test('the same holds on the shared connection with many concurrent statements', async () => {
  const { database } = world.server.instance
  const many = Array.from({ length: preparedMax * 3 }, (_, n) => n)
  // Again while their names are being taken away.
  const answers = await Promise.all([...many, ...many].map((n) => database.quick(numbered(n))))
  expect(answers).toEqual([...many, ...many].map((n) => [[String(n), 'x']]))
  const prepared = await preparedOn({ run: (sql) => database.quick(sql) })
  expect(prepared.length).toBeLessThanOrEqual(preparedMax)
  expect(prepared).toContain(numbered(many.length - 1).text)
})
