import { Binds } from '../kernel/storage/binds.ts'
import type { Sql } from '../kernel/storage/database.ts'
import { hasWholeHours } from './offsets.ts'
import type { Division, Interval, Selection } from './read-request.ts'

/** What is measured. */
export type Measure = 'orders' | 'value' | 'discount'

/** The lengths of the parts of time that have sums of their own. */
const grains = { day: 86_400_000, hour: 3_600_000, quarter: 900_000 } as const
type Grain = keyof typeof grains

/** What all orders of a selection come to. */
export function summarySql(selection: Selection): Sql {
  const { values, bind } = new Binds([undefined])
  const text = `SELECT coalesce(sum(orders), 0), coalesce(sum(value), 0), coalesce(sum(discount), 0)
    FROM (${sourceSql(selection, 'day', bind)}) measured`
  return { text, values, once: true }
}

const units = { '1hr': 'hour', '1d': 'day', '1wk': 'week' } as const satisfies Record<Interval, string>

/** What the orders of each bucket come to, in milliseconds since the epoch, from the first bucket on. */
export function timeSeriesSql(selection: Selection, division: Division, measure: Measure): Sql {
  const { interval, timeZone } = division
  const grain = coarsestGrain(selection, division)
  const { values, bind } = new Binds([undefined])
  const zone = `${bind(timeZone)}::text`
  const [from, last] = [instantSql(selection.fromMs, bind), instantSql(selection.toMs - 1, bind)]
  const unit = units[interval]
  // An hour is always as long as another. Days and weeks follow the clocks of the zone, which are put forward and back.
  const starts =
    unit === 'hour'
      ? `SELECT generate_series(date_trunc('hour', ${from}, ${zone}), ${last}, '1 hour') AS at`
      : `SELECT ${firstInstantSql('local', zone)} AS at
         FROM generate_series(date_trunc('${unit}', ${from} AT TIME ZONE ${zone}), ${last} AT TIME ZONE ${zone},
           '1 ${unit}') local`
  const text = `WITH buckets AS MATERIALIZED (SELECT at, row_number() OVER (ORDER BY at) AS n FROM (${starts}) s)
    SELECT (extract(epoch FROM b.at) * 1000)::bigint, coalesce(m.total, 0)
    FROM buckets b LEFT JOIN (
      SELECT width_bucket(at, (SELECT array_agg(at ORDER BY at) FROM buckets)) AS n, sum(${measure}) AS total
      FROM (${sourceSql(selection, grain, bind)}) measured GROUP BY 1) m ON m.n = b.n
    ORDER BY b.n`
  return { text, values, once: true }
}

/**
 * The instant of a local time. Where the clocks are put back at midnight, the day has that time twice, and begins with
 * the first one; PostgreSQL takes the second.
 */
const firstInstantSql = (local: string, zone: string): string =>
  `least(${local} AT TIME ZONE ${zone}, (${local} - interval '1 hour') AT TIME ZONE ${zone} + interval '1 hour')`

/** The coarsest grain of which each bucket consists. */
function coarsestGrain({ fromMs, toMs }: Selection, { interval, timeZone }: Division): Grain {
  if (!hasWholeHours(timeZone, fromMs, toMs)) return 'quarter'
  return interval !== '1hr' && timeZone === 'UTC' ? 'day' : 'hour'
}

/** Rows with an instant, a number of orders, and what these come to. `grain` is the coarsest that may be read. */
function sourceSql(selection: Selection, grain: Grain, bind: Binds['bind']): string {
  const { fromMs, toMs, filter, currency } = selection
  if (filter) return ordersSql(selection, [fromMs, toMs], bind)
  const quarters = within([fromMs, toMs], 'quarter')
  if (!quarters) return ordersSql(selection, [fromMs, toMs], bind)
  const body = within(quarters, grain) ?? [quarters[1], quarters[1]]
  return [
    ...around([fromMs, toMs], quarters).map((span) => ordersSql(selection, span, bind)),
    ...around(quarters, body).map((span) => sumsSql(currency, 'quarter', span, bind)),
    ...(body[0] < body[1] ? [sumsSql(currency, grain, body, bind)] : []),
    `SELECT at, orders, value, discount FROM order_sum_changes WHERE store_id = $1 AND ${isIn(currency, quarters, bind)}`,
  ].join(' UNION ALL ')
}

type Span = readonly [fromMs: number, toMs: number]

/** The whole parts of a grain in a span; undefined if there are none. */
function within([fromMs, toMs]: Span, grain: Grain): Span | undefined {
  const ms = grains[grain]
  const [from, to] = [Math.ceil(fromMs / ms) * ms, Math.floor(toMs / ms) * ms]
  return from < to ? [from, to] : undefined
}

/** What is left of a span before and behind another inside it. */
const around = (span: Span, inner: Span): readonly Span[] =>
  [[span[0], inner[0]] as const, [inner[1], span[1]] as const].filter(([from, to]) => from < to)

const sumsSql = (currency: string, grain: Grain, span: Span, bind: Binds['bind']) =>
  `SELECT at, orders, value, discount FROM order_sums
   WHERE store_id = $1 AND grain = '${grain}' AND ${isIn(currency, span, bind)}`

const isIn = (currency: string, [fromMs, toMs]: Span, bind: Binds['bind']) =>
  `currency = ${bind(currency)} AND at >= ${instantSql(fromMs, bind)} AND at < ${instantSql(toMs, bind)}`

function ordersSql({ currency, filter }: Selection, [fromMs, toMs]: Span, bind: Binds['bind']): string {
  const isSelected = filter ? ` AND (${filter(bind)})` : ''
  return `SELECT created_at AS at, 1::bigint AS orders, with_tax::numeric AS value,
      -coalesce((hidden#>>'{prices,discount}')::numeric, 0) AS discount
    FROM orders WHERE store_id = $1 AND currency = ${bind(currency)} AND status <> 'cancelled'
      AND created_at >= ${instantSql(fromMs, bind)} AND created_at < ${instantSql(toMs, bind)}${isSelected}`
}

const instantSql = (atMs: number, bind: Binds['bind']): string => `${bind(new Date(atMs))}::timestamptz`
