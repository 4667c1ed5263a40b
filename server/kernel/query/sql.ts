import type { Fields } from '../shape/fields.ts'
import type { Model } from '../shape/model.ts'
import { Binds } from '../storage/binds.ts'
import type { Sql } from '../storage/database.ts'
import { condition } from './condition.ts'
import { indexedPage } from './indexed-pages.ts'
import { matchedText } from './matched-rows.ts'
import { address, countOf, keyOf, order, pageText, type Window, wholeRows } from './page-text.ts'
import { behindSql, boundBy, type Range, rangeOf, rangeTotalSql } from './places.ts'
import type { PlannedFilter } from './plan.ts'
import { sparseRows } from './sparse-rows.ts'
import { walkedPage } from './walked-pages.ts'

/** What a list is made of. */
export interface Source<F extends Fields = Fields> {
  readonly resource: Model<F>
  /** Values of the resource's scope columns, outermost first; behind them the edition, where it has any. */
  readonly scope: readonly string[]
  /** A further condition that every record meets; its lists are counted row by row. */
  readonly where?: (bind: (value: unknown) => string) => string
}

/** Below this offset skipping whole rows costs less than skipping keys and then looking up rows. */
const deepFrom = 200

/**
 * One statement for a page, its exact total and the store's page length, all of one snapshot. Its columns: total,
 * unmerged changes of the counter, page length, then the row's.
 */
export function pageSql(
  source: Source,
  filter: PlannedFilter | undefined,
  window: Window,
  storeId: string,
): Sql {
  const uncounted = source.where !== undefined || source.resource.counted === false
  // Of editions only the whole is known without counting.
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
  // Told again what they belong to, the planner finds the rows of a query too, whose ids are in no index.
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
  const place = window.behind ? `${address(resource)} AND ${behindSql(window, binds)}` : address(resource)
  // A walk along the order it is filtered by has no rows to pass over.
  const along = !where && filter?.is === 'term' && filter.rule.column === window.column
  if (conditions.length > 0 && !along) {
    const whole = offset < deepFrom
    const matching = { place, condition: conditions.join(' AND '), limit, offset, whole }
    const { near, rows: matches } = sparseRows(resource, window, matching)
    const rows = whole ? matches : wholeRows(resource, matches, window, `(SELECT * ${rowsOf})`)
    const text = pageText(resource, total, rows, window, { after: [near] })
    return { text, values: binds.values, once: true }
  }
  const rows = skippedRows(resource, [place, ...conditions].join(' AND '), window)
  return { text: pageText(resource, total, rows, window), values: binds.values, once: true }
}

/** Whether a condition is more than a look at a column of the row. */
const isOfAnyCost = (filter: PlannedFilter): boolean =>
  filter.is === 'term' ? filter.rule.where !== undefined : filter.parts.some(isOfAnyCost)

// The limit is part of the text: the planner must know it to choose the index. It is a checked whole number.
function skippedRows(resource: Model, conditions: string, window: Window): string {
  const { limit, offset } = window
  const cut = `ORDER BY ${order(window)} LIMIT ${limit}${offset ? ` OFFSET ${offset}` : ''}`
  const from = `FROM ${resource.table} WHERE ${conditions} ${cut}`
  if (offset < deepFrom) return `SELECT * ${from}`
  const rowsOf = `(SELECT * FROM ${resource.table} WHERE ${address(resource)})`
  return wholeRows(resource, `SELECT ${keyOf(resource).join(', ')} ${from}`, window, rowsOf)
}
