import { afterAll, beforeAll, expect, test } from 'vitest'
import { broughtBy } from '../../../server/kernel/storage/editions.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

/** The conditions of the table's indexes by the edition that brought a row. */
async function conditionsOf(table: string): Promise<readonly string[]> {
  const { rows } = await world.sql(
    `SELECT pg_get_expr(indpred, indrelid) AS condition FROM pg_index
     WHERE indrelid = $1::regclass AND pg_get_indexdef(indexrelid, 3, true) = 'since'`,
    [table],
  )
  return rows.map(({ condition }) => condition)
}

test('rows of a first edition are in no index by the edition that brought them', async () => {
  for (const table of ['published_prices', 'published_price_spans']) {
    expect(await conditionsOf(table)).toEqual(['(since > 1)'])
  }
})

test('a statement about a later edition may use such an index', () => {
  expect(broughtBy(2, '$3')).toContain('since > 1')
  expect(broughtBy(1, '$3')).not.toContain('since > 1')
})
