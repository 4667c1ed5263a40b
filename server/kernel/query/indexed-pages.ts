import type { Model } from '../shape/model.ts'
import type { Sql } from '../storage/database.ts'
import { indexedOf } from './condition.ts'
import { beginningOf, behindAll } from './like-patterns.ts'
import { headOfValue } from './long-text.ts'
import { address, casts, countOf, keyOf, order, pageText, type Window, wholeRows } from './page-text.ts'
import type { PlannedFilter } from './plan.ts'
import { sparseRows } from './sparse-rows.ts'

/**
 * The page of a list with one filter term that an index answers (`indexed`). One prepared text serves all values and
 * all stores, so one plan must suit a value with no matches as well as one with a million. `(SELECT $1)` hides the
 * values from the planner: otherwise it would find a plan for one value cheaper and plan each time. The text also
 * leaves it no choice of index. Equality is written as a range, and the rows are ordered by the compared column first:
 * only the index returns that order, so a walk over the list never looks cheaper.
 */
export function indexedPage(
  { resource, scope }: { readonly resource: Model; readonly scope: readonly string[] },
  filter: PlannedFilter,
  window: Window,
  storeId: string,
): Sql | undefined {
  if (
    window.column !== 'created_at' ||
    window.behind ||
    window.whole ||
    filter.is !== 'term' ||
    !filter.rule.indexed
  )
    return undefined
  const { op, rule } = filter
  const lookup = toLookup(filter)
  if (!lookup) return undefined
  const cached = texts.get(resource) ?? new Map<string, string>()
  texts.set(resource, cached)
  const name = [rule.column, op, lookup.by, window.descending].join()
  const text = cached.get(name) ?? textOf(resource, filter, lookup.by, window)
  cached.set(name, text)
  return { text, values: [storeId, ...scope, window.limit, window.offset, ...lookup.values] }
}

const texts = new WeakMap<Model, Map<string, string>>()

type PlannedTerm = Extract<PlannedFilter, { readonly is: 'term' }>

/** How the query reads the index: at one value, at each of several, or between two. */
type By = 'value' | 'values' | 'range'

function toLookup({ op, rule, values }: PlannedTerm): { by: By; values: readonly unknown[] } | undefined {
  const [value] = values
  // No column can have it.
  if (value === undefined) return undefined
  if (op === 'eq') return { by: 'value', values }
  if (op === 'in' && !rule.long) return { by: 'values', values: [values] }
  // Only the database knows the lower case of a value, so this cannot be a range.
  const begins = op === 'like' && rule.caseless !== 'like' ? beginningOf(value) : undefined
  if (!begins) return undefined
  if (!begins.open) return { by: 'value', values: [begins.text] }
  const from = rule.long ? headOfValue(begins.text) : begins.text
  const to = behindAll(from)
  return to === undefined ? undefined : { by: 'range', values: [from, to, ...(rule.long ? [value] : [])] }
}

function textOf(resource: Model, { op, rule }: PlannedTerm, by: By, window: Window): string {
  const { table, scopeColumns, editions } = resource
  const scoped = scopeColumns.length + (editions ? 1 : 0)
  const [limitAt, offsetAt, first] = [2, 3, 4].map((n) => n + scoped) as [number, number, number]
  const limit = parameter(limitAt, '::bigint')
  const offset = parameter(offsetAt, '::bigint')
  const cast = casts[rule.type] || '::text'
  const indexed = indexedOf(rule, op)
  const column = indexed(rule.column)
  const place = address(resource, parameter)
  const at = (value: string) => `${column} >= ${value} AND ${column} <= ${value}`
  // The index contains only the beginning of a long text, so the query compares the text too.
  const exactly = (value: string) =>
    rule.long ? `${at(indexed(value))} AND ${rule.column} = ${value}` : at(indexed(value))
  const keys = keyOf(resource).join(', ')
  const way = window.descending ? 'DESC' : 'ASC'
  const byIndex = `ORDER BY ${column} ${way}, ${order(window)}`
  const cut = `OFFSET ${offset} LIMIT ${limit}`

  if (by === 'value') {
    const from = `FROM ${table} WHERE ${place} AND ${exactly(parameter(first, cast))}`
    return pageText(
      resource,
      countOf(from),
      wholeRows(resource, `SELECT ${keys} ${from} ${byIndex} ${cut}`, window),
      window,
    )
  }
  if (by === 'values') {
    const each = `(SELECT DISTINCT ${indexed('value')} AS value FROM unnest(${parameter(first, `${cast}[]`)}) value) one`
    const from = `FROM ${table} WHERE ${place} AND ${at('one.value')}`
    const total =
      `SELECT coalesce(sum(m.n), 0)::bigint AS total, 0 AS unmerged FROM ${each} ` +
      `CROSS JOIN LATERAL (SELECT count(*) AS n ${from}) m`
    const rows =
      `SELECT ${keys} FROM ${each} CROSS JOIN LATERAL (SELECT ${keys}, created_at ${from} ${byIndex} ` +
      `LIMIT ${offset} + ${limit}) m ORDER BY ${order(window)} ${cut}`
    return pageText(resource, total, wholeRows(resource, rows, window), window)
  }
  const like = rule.long ? ` AND ${rule.column} LIKE ${parameter(first + 2, cast)}` : ''
  const condition = `${column} >= ${parameter(first, cast)} AND ${column} < ${parameter(first + 1, cast)}${like}`
  const total = countOf(`FROM ${table} WHERE ${place} AND ${condition}`)
  const { near, rows } = sparseRows(resource, window, { place, condition, limit, offset, whole: false })
  return pageText(resource, total, wholeRows(resource, rows, window), window, { after: [near] })
}

const parameter = (n: number, cast: string) => `(SELECT $${n}${cast})`
