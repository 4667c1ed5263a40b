import { action } from '../../kernel/declare/action.ts'
import { readSingleton } from '../../kernel/request/singletons.ts'
import { json } from '../../kernel/shape/answer.ts'
import { shown } from '../../kernel/shape/shown.ts'
import { type Sql, sqlState } from '../../kernel/storage/database.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { accountResource, customerResource } from '../../people/index.ts'
import { storeSettings } from '../../store/index.ts'
import {
  divisionQuery,
  periodQuery,
  readDivision,
  readPeriod,
  readSelection,
  refuseZone,
  selectionQuery,
} from './read-request.ts'
import { createdSeriesSql, type Measure, summarySql, timeSeriesSql } from './sums-sql.ts'

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

/** How many people came. They are counted, and not kept as sums: they are fewer than orders. */
export const peopleTimeSeries = [customerResource, accountResource].map((resource) => {
  const [one, many] = resource.noun
  return action({
    ...shared,
    name: `get-${one}-metrics-count`,
    route: `GET /v2/metrics/${many}/timeseries/count`,
    about:
      `Returns how many of the ${many} that there are were created in each hour, day or week of a period, also where there ` +
      'were none. The first bucket has only those of the period. Days begin in the time zone of the store, unless ' +
      '`timezone` names another one.',
    query: { ...periodQuery, ...divisionQuery },
    shows: { data: shown.list(shown.group({ start_date: shown.time, count: shown.integer })) },
    async run(ctx, { query }) {
      const period = readPeriod(query)
      const division = readDivision(query, period)
      const { time_zone } = await readSingleton(ctx, storeSettings)
      const timeZone = new URLSearchParams(query).has('timezone') ? division.timeZone : time_zone || 'UTC'
      const sql = createdSeriesSql(resource, period, { ...division, timeZone }, 'count')
      return { status: 200, body: `{"data":[${await bucketsOf(ctx, sql, timeZone)}]}` }
    },
  })
})

/** The SQLSTATE of an unknown time zone. */
const invalidValue = '22023'

function readBuckets(ctx: Ctx, query: string, measure: Measure, name: string): Promise<string> {
  const selection = readSelection(query)
  const division = readDivision(query, selection)
  return bucketsOf(ctx, timeSeriesSql(selection, division, measure, name), division.timeZone)
}

async function bucketsOf(ctx: Ctx, sql: Sql, timeZone: string): Promise<string> {
  try {
    const [row] = await ctx.store.page(sql)
    return row?.[0] as string
  } catch (error) {
    throw sqlState(error) === invalidValue ? refuseZone(timeZone) : error
  }
}
