import type { Fields } from '../shape/fields.ts'
import type { Model } from '../shape/model.ts'
import { Binds } from '../storage/binds.ts'
import type { Sql } from '../storage/database.ts'
import { condition } from './condition.ts'
import { indexedPage } from './indexed-pages.ts'
import { beginningOf } from './like-patterns.ts'
import { address, countOf, keyOf, order, pageText, type Window, wholeRows } from './page-text.ts'
import { behindSql, boundBy, type Range, rangeOf, rangeTotalSql } from './places.ts'
import type { PlannedFilter } from './plan.ts'
import { sparseRows } from './sparse-rows.ts'
import { walkedPage } from './walked-pages.ts'

/** The source of a list's rows. */
export interface Source<F extends Fields = Fields> {
  readonly resource: Model<F>
  /** The values of the scope columns, outermost first, then the edition if the resource has editions. */
  readonly scope: readonly string[]
  /** A further condition on all rows. Such lists are counted row by row. */
  readonly where?: (bind: (value: unknown) => string) => string
}

/** Below this offset skipping whole rows costs less than skipping keys and then looking up rows. */
const deepFrom = 200

/**
 * One statement for a page, its exact total and the store's page length, in one snapshot. Its columns: total, unmerged
 * changes, page length, then the columns of the row.
 */
export function pageSql(
  source: Source,
  filter: PlannedFilter | undefined,
  window: Window,
  storeId: string,
): Sql {
  const uncounted = source.where !== undefined || source.resource.counted === false
  // For editions, only the total of the whole list is stored.
  const range = uncounted || (filter && source.resource.editions) ? undefined : rangeOf(filter)
  const walked = range && walkedPage(source, range, window, storeId)
  if (walked) return walked
  const indexed = filter && !uncounted ? indexedPage(source, filter, window, storeId) : undefined
  return indexed ?? skippedPage(source, filter, range, window, storeId)
}

/** The text differs with each call. */
function skippedPage(
  source: Source,
  filter: PlannedFilter | undefined,
  range: Range | undefined,
  window: Window,
  storeId: string,
): Sql {
  const { resource, scope, where } = source
  const { limit, offset } = window
  const binds = new Binds([storeId, ...scope])
  const narrowed = where ? [where(binds.bind)] : []
  // Repeats the condition so that the planner can also use the indexes behind a subquery, whose ids have no index.
  const rowsOf = `FROM ${resource.table} WHERE ${[address(resource), ...narrowed].join(' AND ')}`
  if (filter && isOfAnyCost(filter)) {
    const matches = { rows: rowsOf, condition: condition(filter, binds, !where) }
    const text = matchedText(resource, window, matches, binds)
    return { text, values: binds.values, once: true }
  }
  const conditions = filter ? [...narrowed, condition(filter, binds)] : narrowed
  const total = range
    ? rangeTotalSql(resource, boundBy(range, binds))
    : countOf(`FROM ${resource.table} WHERE ${[address(resource), ...conditions].join(' AND ')}`)
  const behind = window.behind && behindSql(window, binds)
  const place = behind ? `${address(resource)} AND ${behind}` : address(resource)
  // A walk along the filtered order passes over no rows.
  const along = !where && filter?.is === 'term' && filter.rule.column === window.column
  if (conditions.length > 0 && !along) {
    const whole = offset < deepFrom
    const inIndex = !where && isReadInIndex(filter) ? { behind } : undefined
    const matching = { place, condition: conditions.join(' AND '), limit, offset, whole, inIndex }
    const { near, rows: matches } = sparseRows(resource, window, matching)
    const rows = whole ? matches : wholeRows(resource, matches, window, `(SELECT * ${rowsOf})`)
    const text = pageText(resource, total, rows, window, { after: [near] })
    return { text, values: binds.values, once: true }
  }
  const rows = skippedRows(resource, [place, ...conditions].join(' AND '), window)
  return { text: pageText(resource, total, rows, window), values: binds.values, once: true }
}

/** Whether the matches may be anywhere in the index: a `like` without a fixed beginning. */
const isReadInIndex = (filter: PlannedFilter | undefined): boolean =>
  filter?.is === 'term' &&
  filter.rule.indexed === true &&
  filter.op === 'like' &&
  !beginningOf(filter.values[0] ?? '')

/** Whether a condition does more than compare a column of the row. */
const isOfAnyCost = (filter: PlannedFilter): boolean =>
  filter.is === 'term' ? filter.rule.where !== undefined : filter.parts.some(isOfAnyCost)

// The limit is part of the text, because the planner must know it to choose the index. It is a checked integer.
function skippedRows(resource: Model, conditions: string, window: Window): string {
  const { limit, offset } = window
  const cut = `ORDER BY ${order(window)} LIMIT ${limit}${offset ? ` OFFSET ${offset}` : ''}`
  const from = `FROM ${resource.table} WHERE ${conditions} ${cut}`
  if (offset < deepFrom) return `SELECT * ${from}`
  const rowsOf = `(SELECT * FROM ${resource.table} WHERE ${address(resource)})`
  return wholeRows(resource, `SELECT ${keyOf(resource).join(', ')} ${from}`, window, rowsOf)
}

/**
 * A page of the rows that meet an expensive condition. The database evaluates the condition once for each row: it finds
 * all matches, counts them, and sorts them by their keys.
 */
function matchedText(
  resource: Model,
  window: Window,
  { rows, condition }: { readonly rows: string; readonly condition: string },
  binds: Pick<Binds, 'bind'>,
): string {
  const { limit, offset } = window
  const keys = [...new Set([...keyOf(resource), window.column])].join(', ')
  // The condition refers to columns by the table's name, as `rows` does.
  const matches = `matches AS MATERIALIZED (SELECT ${keys} ${rows} AND ${condition})`
  const behind = window.behind ? ` WHERE ${behindSql(window, binds)}` : ''
  const pageKeys =
    `SELECT ${keyOf(resource).join(', ')} FROM matches${behind} ` +
    `ORDER BY ${order(window)} LIMIT ${limit} OFFSET ${offset}`
  return pageText(
    resource,
    countOf('FROM matches'),
    wholeRows(resource, pageKeys, window, `(SELECT * ${rows})`),
    window,
    {
      before: [matches],
    },
  )
}
