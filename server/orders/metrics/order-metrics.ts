import { action } from '../../kernel/declare/action.ts'
import { json } from '../../kernel/shape/answer.ts'
import { shown } from '../../kernel/shape/shown.ts'
import { sqlState } from '../../kernel/storage/database.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { divisionQuery, readDivision, readSelection, refuseZone, selectionQuery } from './read-request.ts'
import { type Measure, summarySql, timeSeriesSql } from './sums-sql.ts'

const shared = { area: 'metrics', status: 200, withinMs: 10_000 } as const

/** How many orders there were, and what they come to. */
export const getOrderSummary = action({
  ...shared,
  name: 'get-order-metrics-summary',
  route: 'GET /v2/metrics/orders/summary',
  about:
    'Returns how many orders of a currency a period has, and what they come to. An order counts at its time of creation, ' +
    'unless it is cancelled. Its value is its total with tax and shipping; refunds do not change it.',
  query: selectionQuery,
  shows: {
    data: shown.group({ count: shown.integer, total_value: shown.integer, total_discount: shown.integer }),
  },
  async run(ctx, { query }) {
    const [row = []] = await ctx.store.page(summarySql(readSelection(query)))
    const [count, total_value, total_discount] = row.map(Number)
    return json(200, { data: { count, total_value, total_discount } })
  },
})

/** The time series: each path, what it is about, and the name of the number in its buckets. */
const timeSeries = [
  { path: 'count', about: 'how many orders', measure: 'orders' },
  { path: 'value', about: 'what the orders', measure: 'value' },
  { path: 'discount', about: 'what the discounts of the orders', measure: 'discount' },
] as const satisfies readonly { readonly measure: Measure; readonly [name: string]: string }[]

export const orderTimeSeries = timeSeries.map(({ path, about, measure }) =>
  action({
    ...shared,
    name: `get-order-metrics-${path}`,
    route: `GET /v2/metrics/orders/timeseries/${path}`,
    about:
      `Returns ${about} of a currency ${measure === 'orders' ? 'there were' : 'come to'} in each hour, day or week of a ` +
      'period, also where there were none. The first bucket begins before `start_date` if that is not the beginning of one; ' +
      'it has only the orders of the period.',
    query: { ...selectionQuery, ...divisionQuery },
    shows: { data: shown.list(shown.group({ start_date: shown.time, [path]: shown.integer })) },
    async run(ctx, { query }) {
      return { status: 200, body: `{"data":[${await readBuckets(ctx, query, measure, path)}]}` }
    },
  }),
)

/** The SQLSTATE of an unknown time zone. */
const invalidValue = '22023'

async function readBuckets(ctx: Ctx, query: string, measure: Measure, name: string): Promise<string> {
  const selection = readSelection(query)
  const division = readDivision(query, selection)
  try {
    const [row] = await ctx.store.page(timeSeriesSql(selection, division, measure, name))
    return row?.[0] as string
  } catch (error) {
    throw sqlState(error) === invalidValue ? refuseZone(division.timeZone) : error
  }
}
