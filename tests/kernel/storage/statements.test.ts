import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { Database, type Sql } from '../../../server/kernel/storage/database.ts'
import { tries } from '../../support/long.ts'

let database: Database
let driver: pg.Client
beforeAll(async () => {
  database = new Database(inject('postgres'), 2)
  driver = new pg.Client(inject('postgres'))
  await driver.connect()
})
afterAll(async () => {
  await driver.end()
  await database.close()
})

/** The ways a statement goes to the database. */
const ways: Readonly<Record<string, (sql: Sql) => Promise<unknown>>> = {
  'on a connection of the pool': (sql) => database.run(sql),
  'among point reads': (sql) => database.quick(sql),
  'among pages': (sql) => database.quick({ ...sql, page: true }),
  'in a transaction': (sql) => database.transaction((transaction) => transaction.run(sql)),
}

/** As the driver by itself reads it: every value as text. */
async function byDriver({ text, values }: Sql): Promise<unknown> {
  const types = { getTypeParser: () => (value: string) => value } as unknown as pg.CustomTypesConfig
  return (await driver.query({ text, values: [...values], rowMode: 'array', types })).rows
}

const word = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', ' ').toWellFormed())
const time = fc.date({ min: new Date('1900-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
const values = fc.tuple(
  fc.option(word),
  fc.option(fc.maxSafeInteger()),
  fc.option(fc.boolean()),
  fc.option(time),
  fc.option(fc.array(fc.option(word))),
  fc.option(fc.json()),
)
const text =
  'SELECT $1::text, $2::int8, $3::boolean, $4::timestamptz, $5::text[], $6::jsonb, x FROM generate_series(1, 3) x'

test.each(Object.keys(ways))('values are sent and read as the driver does, %s', async (way) => {
  await fc.assert(
    fc.asyncProperty(values, fc.boolean(), async (params, once) => {
      const sql = { text, values: params, once }
      expect(await ways[way]?.(sql)).toEqual(await byDriver(sql))
    }),
    { numRuns: tries(20, 60) },
  )
})

const one = { text: 'SELECT 1', values: [] }

test.each(Object.keys(ways))(
  'empty results, rows without columns and statements without values are supported, %s',
  async (way) => {
    const send = (sql: string, once: boolean) => ways[way]?.({ text: sql, values: [], once })
    for (const once of [true, false]) {
      expect(await send('SELECT 1, NULL, $$$$', once)).toEqual([['1', null, '']])
      expect(await send('SELECT 1 WHERE false', once)).toEqual([])
      expect(await send('SELECT FROM generate_series(1, 2)', once)).toEqual([[], []])
      expect(await send(`SET statement_timeout = 0`, once)).toEqual([])
      expect(await send('', once)).toEqual([])
    }
  },
)

test.each(Object.keys(ways))('a failing statement does not affect the others, %s', async (way) => {
  const circular: unknown[] = []
  circular.push({
    toPostgres: () => {
      throw new Error('cannot be sent')
    },
  })
  const refused: [Sql, string][] = [
    [{ text: 'SELECT FROM nowhere', values: [] }, 'nowhere'],
    [{ text: 'SELECT $1::int', values: ['x'] }, 'invalid input syntax'],
    // After it has sent rows.
    [{ text: 'SELECT 1 / (x - 3) FROM generate_series(1, 5) x', values: [] }, 'division by zero'],
    [{ text: 'SELECT $1', values: circular }, 'cannot be sent'],
  ]
  for (const once of [true, false]) {
    for (const [sql, message] of [...refused, ...refused]) {
      const all = await Promise.allSettled([
        ways[way]?.(one),
        ways[way]?.({ ...sql, once }),
        ways[way]?.(one),
      ])
      expect(all).toMatchObject([
        { status: 'fulfilled', value: [['1']] },
        { status: 'rejected', reason: { message: expect.stringContaining(message) } },
        { status: 'fulfilled', value: [['1']] },
      ])
    }
  }
})

test.each(Object.keys(ways))('concurrent statements each get their own rows, %s', async (way) => {
  const queries = Array.from({ length: 300 }, (_, n) => ({ n, rows: (n * 7) % 40 }))
  const answers = await Promise.all(
    queries.map(({ n, rows }) =>
      ways[way]?.({
        text: `SELECT ${n % 20}, $1::text, repeat($1, 500) FROM generate_series(1, $2::int)`,
        values: [`${n}`, rows],
        once: n % 3 === 0,
      }),
    ),
  )
  expect(answers).toEqual(
    queries.map(({ n, rows }) =>
      Array.from({ length: rows }, () => [`${n % 20}`, `${n}`, `${n}`.repeat(500)]),
    ),
  )
})

test('a prepared statement whose columns have changed fails as it does with the driver', async () => {
  const single = new Database(inject('postgres'), 1)
  try {
    const look = { text: 'SELECT * FROM changing', values: [] }
    await single.run({ text: 'CREATE TEMPORARY TABLE changing (a int)', values: [] })
    expect(await single.run(look)).toEqual([])
    await single.run({ text: 'ALTER TABLE changing ADD b int', values: [] })
    await expect(single.run(look)).rejects.toThrow('cached plan must not change result type')
  } finally {
    await single.close()
  }
})
