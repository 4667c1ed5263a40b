import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Sql } from '../../../server/kernel/storage/database.ts'
import { readDivision, readSelection } from '../../../server/orders/metrics/read-request.ts'
import { summarySql, timeSeriesSql } from '../../../server/orders/metrics/sums-sql.ts'
import type { Any } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

/** Metrics are as fast as the rows are few that they read, so these are counted: a busy machine counts them as well. */

let world: World
const days = 20
beforeAll(async () => {
  world = await openWorld()
  await world.sql(
    `INSERT INTO order_sums SELECT $1, 'USD', grain, at, 1, 100, 10
     FROM (VALUES ('quarter', interval '15 minutes'), ('hour', interval '1 hour'), ('day', interval '24 hours'))
       g (grain, length), generate_series(timestamptz '2026-01-01Z', timestamptz '2026-01-20T23:59:59Z', length) at`,
    [world.storeId],
  )
})
afterAll(() => world.close())

const period = 'start_date=2026-01-01&end_date=2026-01-21&currency=USD'

async function planOf({ text, values }: Sql): Promise<Any> {
  const bound = [world.storeId, ...values.slice(1)]
  const { rows } = await world.sql(`EXPLAIN (ANALYZE, VERBOSE, FORMAT JSON) ${text}`, bound)
  return rows[0]['QUERY PLAN'][0].Plan
}

const nodesOf = (plan: Any): readonly Any[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

const sumsRead = async (sql: Sql): Promise<number> =>
  nodesOf(await planOf(sql))
    .filter((node) => node['Relation Name'] === 'order_sums')
    .reduce((sum, node) => sum + Math.round(node['Actual Rows'] * node['Actual Loops']), 0)

const series = (query: string) => {
  const selection = readSelection(`${period}&${query}`)
  return timeSeriesSql(selection, readDivision(`${period}&${query}`, selection), 'value', 'value')
}

test.each([
  ['UTC', 1],
  ['Europe/London', 24],
  // A day begins within an hour: that one is read in four parts.
  ['Asia/Kolkata', 23 + 4],
  ['Asia/Kathmandu', 23 + 4],
])('a day of %s is the sum of %i rows', async (timezone, rows) => {
  expect(await sumsRead(series(`interval=1d&timezone=${timezone}`))).toBe(days * rows)
})

test.each([
  ['UTC', 1],
  ['Europe/London', 1],
  ['Asia/Kolkata', 4],
])('an hour of %s is the sum of %i rows', async (timezone, rows) => {
  expect(await sumsRead(series(`interval=1hr&timezone=${timezone}`))).toBe(days * 24 * rows)
})

test('a time series is one row, which is sent as it is', async () => {
  expect((await planOf(series('interval=1hr')))['Actual Rows']).toBe(1)
})

test('orders are added up by their columns, without a look into their documents', async () => {
  const id = '11111111-1111-4111-8111-111111111111'
  const plan = await planOf(summarySql(readSelection(`${period}&filter=contains(product_ids,${id})`)))
  expect(nodesOf(plan).map((node) => node['Relation Name'])).toContain('orders')
  expect(String(plan.Output)).toMatch(/orders\.discount/)
  expect(String(plan.Output)).not.toContain('hidden')
})
