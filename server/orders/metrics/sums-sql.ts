import type { Model } from '../../kernel/shape/model.ts'
import { Binds } from '../../kernel/storage/binds.ts'
import type { Sql } from '../../kernel/storage/database.ts'
import type { Division, Interval, MeasuredPeriod, OrderSelection } from './read-request.ts'

/** What is measured. */
export type Measure = 'orders' | 'value' | 'discount'

/** The lengths of the parts of time that have sums of their own. */
const grains = { day: 86_400_000, hour: 3_600_000, quarter: 900_000 } as const
type Grain = keyof typeof grains

/** What all orders of a selection come to. */
export function summarySql(selection: OrderSelection): Sql {
  const { values, bind } = new Binds([undefined])
  const text = `SELECT coalesce(sum(orders), 0), coalesce(sum(value), 0), coalesce(sum(discount), 0)
    FROM (${sourceSql(selection, ofDays, bind)}) measured`
  return { text, values, once: true }
}

const units = { '1hr': 'hour', '1d': 'day', '1wk': 'week' } as const satisfies Record<Interval, string>

/**
 * The JSON of the buckets, separated by commas: when each begins, and what its orders come to under `name`. A year has
 * thousands of hours, so the database writes the text, and other requests of the process do not wait for it.
 */
export function timeSeriesSql(
  selection: OrderSelection,
  division: Division,
  measure: Measure,
  name: string,
): Sql {
  const { interval, timeZone } = division
  const { values, bind } = new Binds([undefined])
  const starts = startsSql(selection, division, bind)
  const sums = interval === '1hr' ? ofHours : timeZone === 'UTC' ? ofDays : ofLocalDays
  const text = `WITH starts AS MATERIALIZED (SELECT array_agg(at ORDER BY at) AS ats FROM (${starts}) s),
      split AS MATERIALIZED (SELECT ${wholeHour('at')} AS hour FROM starts, unnest(ats) at WHERE at <> ${wholeHour('at')})
    SELECT ${bucketsText(name)}
    FROM (
      SELECT (SELECT ats FROM starts)[width_bucket(at, (SELECT ats FROM starts))] AS at, sum(${measure})::text AS total
      FROM (${sourceSql(selection, sums, bind)} UNION ALL SELECT unnest(ats), 0, 0, 0 FROM starts) measured
      GROUP BY 1) buckets`
  return { text, values, once: true }
}

/** As `timeSeriesSql`: how many rows of a table were created. It reads their entries in the index by creation. */
export function createdSeriesSql(
  { table }: Pick<Model, 'table'>,
  { fromMs, toMs }: MeasuredPeriod,
  division: Division,
  name: string,
): Sql {
  const { values, bind } = new Binds([undefined])
  const starts = startsSql({ fromMs, toMs }, division, bind)
  const [from, to] = [instantSql(fromMs, bind), instantSql(toMs, bind)]
  const text = `WITH starts AS MATERIALIZED (SELECT array_agg(at ORDER BY at) AS ats FROM (${starts}) s)
    SELECT ${bucketsText(name)}
    FROM (
      SELECT (SELECT ats FROM starts)[bucket] AS at, sum(n)::text AS total
      FROM (
        SELECT width_bucket(created_at, (SELECT ats FROM starts)) AS bucket, count(*) AS n FROM ${table}
        WHERE store_id = $1 AND created_at >= ${from} AND created_at < ${to} GROUP BY 1
        UNION ALL SELECT generate_series(1, cardinality(ats)), 0 FROM starts) counted
      GROUP BY bucket) buckets`
  return { text, values, once: true }
}

const shownInstant = `to_json(greatest(at, '0001-01-01Z') AT TIME ZONE 'UTC')::text`

const bucketsText = (name: string) =>
  `string_agg('{"start_date":' || rtrim(${shownInstant}, '"') || '.000Z","${name}":' || total || '}', ',' ORDER BY at)`

/** The beginnings of the buckets. */
function startsSql(
  { fromMs, toMs }: MeasuredPeriod,
  { interval, timeZone }: Division,
  bind: Binds['bind'],
): string {
  const zone = `${bind(timeZone)}::text`
  const [from, last] = [instantSql(fromMs, bind), instantSql(toMs - 1, bind)]
  const unit = units[interval]
  // An hour is always as long as another. Days and weeks follow the clocks of the zone, which are put forward and back.
  return unit === 'hour'
    ? `SELECT generate_series(date_trunc('hour', ${from}, ${zone}), ${last}, '1 hour') AS at`
    : `SELECT ${firstInstantSql('local', zone)} AS at
       FROM generate_series(date_trunc('${unit}', ${from} AT TIME ZONE ${zone}), ${last} AT TIME ZONE ${zone},
         '1 ${unit}') local`
}

/**
 * The instant of a local time. Where the clocks are put back at midnight, the day has that time twice, and begins with
 * the first one; PostgreSQL takes the second.
 */
const firstInstantSql = (local: string, zone: string): string =>
  `least(${local} AT TIME ZONE ${zone}, (${local} - interval '1 hour') AT TIME ZONE ${zone} + interval '1 hour')`

const wholeHour = (at: string): string => `date_trunc('hour', ${at}, 'UTC')`

type Span = readonly [fromMs: number, toMs: number]
type SumsSql = (currency: string, span: Span, bind: Binds['bind']) => string

/** The sums of a span of whole parts of the grain `within`. */
interface Sums {
  readonly within: Grain
  readonly sql: SumsSql
}

const sumsSql =
  (grain: string): SumsSql =>
  (currency, span, bind) =>
    `SELECT at, orders, value, discount FROM order_sums
     WHERE store_id = $1 AND grain = ${grain} AND ${isIn(currency, span, bind)}`

const [sumsOfHours, sumsOfQuarters] = [sumsSql("'hour'"), sumsSql("'quarter'")]

/** For buckets of whole days of UTC. */
const ofDays: Sums = { within: 'day', sql: sumsSql("'day'") }

/** For buckets of an hour. In some zones they begin within an hour of UTC, all of them after the same part of it. */
const ofHours: Sums = {
  within: 'hour',
  sql: sumsSql(
    `(SELECT CASE WHEN ats[1] = ${wholeHour('ats[1]')} THEN 'hour' ELSE 'quarter' END FROM starts)`,
  ),
}

/**
 * For days and weeks of a zone: the quarters of an hour in which one of them begins, and otherwise hours. OFFSET keeps
 * the planner from reading all quarters, to find those.
 */
const ofLocalDays: Sums = {
  within: 'hour',
  sql: (...span) =>
    `${sumsOfHours(...span)} AND at NOT IN (SELECT hour FROM split) UNION ALL
     SELECT part.* FROM split CROSS JOIN LATERAL (
       ${sumsOfQuarters(...span)} AND at >= hour AND at < hour + interval '1 hour' OFFSET 0) part`,
}

/** Rows with an instant, a number of orders, and what these come to. */
function sourceSql(selection: OrderSelection, sums: Sums, bind: Binds['bind']): string {
  const { fromMs, toMs, filter, currency } = selection
  if (filter) return ordersSql(selection, [fromMs, toMs], bind)
  const quarters = within([fromMs, toMs], 'quarter')
  if (!quarters) return ordersSql(selection, [fromMs, toMs], bind)
  const body = within(quarters, sums.within) ?? [quarters[1], quarters[1]]
  return [
    ...around([fromMs, toMs], quarters).map((span) => ordersSql(selection, span, bind)),
    ...around(quarters, body).map((span) => sumsOfQuarters(currency, span, bind)),
    ...(body[0] < body[1] ? [sums.sql(currency, body, bind)] : []),
    `SELECT at, orders, value, discount FROM order_sum_changes WHERE store_id = $1 AND ${isIn(currency, quarters, bind)}`,
  ].join(' UNION ALL ')
}

/** The whole parts of a grain in a span; undefined if there are none. */
function within([fromMs, toMs]: Span, grain: Grain): Span | undefined {
  const ms = grains[grain]
  const [from, to] = [Math.ceil(fromMs / ms) * ms, Math.floor(toMs / ms) * ms]
  return from < to ? [from, to] : undefined
}

/** What is left of a span before and behind another inside it. */
const around = (span: Span, inner: Span): readonly Span[] =>
  [[span[0], inner[0]] as const, [inner[1], span[1]] as const].filter(([from, to]) => from < to)

const isIn = (currency: string, [fromMs, toMs]: Span, bind: Binds['bind']) =>
  `currency = ${bind(currency)} AND at >= ${instantSql(fromMs, bind)} AND at < ${instantSql(toMs, bind)}`

function ordersSql({ currency, filter }: OrderSelection, [fromMs, toMs]: Span, bind: Binds['bind']): string {
  const isSelected = filter ? ` AND (${filter(bind)})` : ''
  return `SELECT created_at AS at, 1::bigint AS orders, with_tax::numeric AS value, discount::numeric AS discount
    FROM orders WHERE store_id = $1 AND currency = ${bind(currency)} AND status <> 'cancelled'
      AND created_at >= ${instantSql(fromMs, bind)} AND created_at < ${instantSql(toMs, bind)}${isSelected}`
}

const instantSql = (atMs: number, bind: Binds['bind']): string => `${bind(new Date(atMs))}::timestamptz`
