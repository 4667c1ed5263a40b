import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { Database, type StatementSource, type Tuple } from '../../../server/kernel/storage/database.ts'

/** Of a table of 20,000 rows, half have the value `most`; 10,000 others have one each. */
let database: Database
beforeAll(async () => {
  database = new Database(inject('postgres'), 2, { plansOnce: true })
  await database.run({ text: 'CREATE TABLE uneven (id int PRIMARY KEY, value text, note text)', values: [] })
  await database.run({
    text: `INSERT INTO uneven SELECT i, CASE WHEN i % 2 = 0 THEN 'most' ELSE 'value ' || i END, repeat('x', 100)
      FROM generate_series(1, 20000) i`,
    values: [],
  })
  await database.run({ text: 'CREATE INDEX uneven_by_value ON uneven (value)', values: [] })
  await database.run({ text: 'ANALYZE uneven', values: [] })
})
afterAll(async () => {
  await database.run({ text: 'DROP TABLE uneven', values: [] })
  await database.close()
})

const reading = (): StatementSource => database.reading(() => new AbortController().signal)

const mode = { text: 'SHOW plan_cache_mode', values: [] }

test.each([
  ['point reads', () => database.quick(mode), 'force_generic_plan'],
  ['single writes', () => database.run(mode), 'force_generic_plan'],
  ['transactions', () => database.transaction((one) => one.run(mode)), 'force_generic_plan'],
  ['pages', () => database.quick({ ...mode, page: true }), 'auto'],
  ['searches', () => reading().run(mode), 'auto'],
  ['exports', () => reading().transaction((one) => one.run(mode), 'export'), 'auto'],
])('%s have the plans that suit them', async (_, read, expected) => {
  expect(await read()).toEqual([[expected]])
})

test('a statement of a write is planned once, whatever its values', async () => {
  const plans = await database.transaction(async (transaction) => {
    const text = 'UPDATE uneven SET note = $2 WHERE id = ANY($1::int[])'
    for (let i = 0; i < 10; i++) await transaction.run({ text, values: [[i], 'y'] })
    return transaction.run({
      text: 'SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE statement = $1',
      values: [text],
    })
  })
  expect(plans).toEqual([['10', '0']])
})

/** How a prepared search finds the first rows with a value. */
const planOf = (value: string): Promise<readonly Tuple[]> =>
  reading().transaction(async (transaction) => {
    const run = (text: string) => transaction.run({ text, values: [], once: true })
    await run('PREPARE search (text) AS SELECT note FROM uneven WHERE value = $1 ORDER BY id LIMIT 10')
    try {
      return await run(`EXPLAIN (COSTS OFF) EXECUTE search ('${value}')`)
    } finally {
      await run('DEALLOCATE search')
    }
  })

test('a search has the plan of its value: one that half of the rows have is found by walking along the order', async () => {
  expect(String(await planOf('most'))).toContain('uneven_pkey')
  expect(String(await planOf('value 7'))).toContain('uneven_by_value')
})
