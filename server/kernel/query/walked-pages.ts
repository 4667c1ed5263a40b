import type { Model } from '../shape/model.ts'
import { Binds } from '../storage/binds.ts'
import type { Sql } from '../storage/database.ts'
import { address, keyOf, order, pageText, rowsMax, type Window, wholeRows } from './page-text.ts'
import {
  behindSql,
  boundBy,
  boundSql,
  isLower,
  isWalked,
  listArguments,
  placeSql,
  type Range,
  rangeTotalSql,
} from './places.ts'

/** The texts of each resource: one for each order, each depth and each kind of range. */
const texts = new WeakMap<Model, Map<string, string>>()

/**
 * A page of a whole list, in any order, at any depth or after a cursor; or of a range, in an order that `list_blocks`
 * covers. The text does not depend on the values, so it is built once and prepared.
 */
export function walkedPage(
  { resource, scope }: { readonly resource: Model; readonly scope: readonly string[] },
  range: Range,
  window: Window,
  storeId: string,
): Sql | undefined {
  const { limit, offset, behind, column, whole = false } = window
  if (range.column && range.column !== column) return undefined
  if (offset > 0 && resource.editions) return undefined
  const cached = texts.get(resource) ?? new Map<string, string>()
  texts.set(resource, cached)
  const name = [
    order(window),
    offset > 0,
    behind !== undefined,
    whole,
    ...range.bounds.map(({ op }) => op),
  ].join()
  const text = cached.get(name) ?? textOf(resource, range, window)
  cached.set(name, text)
  const values = [storeId, ...scope, limit, ...(offset > 0 ? [offset] : [])]
  values.push(...range.bounds.map(({ value }) => value))
  if (behind) values.push(behind.id, ...(column === 'id' ? [] : [behind.value]))
  // Skipping index entries may take long, and so may a list that is longer than a page: neither uses the fast lane.
  return { text, values, ...(!whole && (isWalked(column) || offset === 0) && { page: true }) }
}

/** Its placeholders are in the order of the values above. */
function textOf(resource: Model, range: Range, window: Window): string {
  const binds = new Binds(['', ...resource.scopeColumns, ...(resource.editions ? ['edition'] : [])])
  const limit = `${binds.bind('limit')}::bigint`
  const offset = window.offset > 0 ? `${binds.bind('offset')}::bigint` : undefined
  const bound = boundBy(range, binds)
  const total = rangeTotalSql(resource, bound)
  if (offset) {
    const rows = isWalked(window.column)
      ? seekRows(resource, bound, window, limit, offset)
      : skippedRows(resource, window, limit, offset)
    return pageText(resource, total, rows, window)
  }
  const conditions = bound.bounds.map((end) => boundSql(window.column, end))
  if (window.behind) conditions.push(behindSql(window, binds))
  return pageText(resource, total, firstRows(resource, conditions, window, limit), window)
}

/**
 * The outer limit is a literal, the most rows that a page may have; the actual limit is a placeholder. The literal
 * makes the planner use the index. If it ever knew the actual limit, it would find a plan for that value cheaper, and
 * plan each time.
 */
const cutRows = (rows: string, limit: string, window: Pick<Window, 'whole'> = {}): string =>
  `SELECT * FROM (${rows} LIMIT ${limit}) page LIMIT ${rowsMax(window)}`

/** The first rows of the list, or of the part that the conditions select. */
const firstRows = (resource: Model, conditions: readonly string[], window: Window, limit: string): string =>
  cutRows(
    `SELECT * FROM ${resource.table} WHERE ${[address(resource), ...conditions].join(' AND ')} ORDER BY ${order(window)}`,
    `(SELECT ${limit})`,
    window,
  )

/** For orders that `list_blocks` does not cover: the index has the keys of the rows to skip. */
const skippedRows = (resource: Model, window: Window, limit: string, offset: string): string =>
  wholeRows(
    resource,
    cutRows(
      `SELECT ${keyOf(resource).join(', ')} FROM ${resource.table} WHERE ${address(resource)} ` +
        `ORDER BY ${order(window)} OFFSET (SELECT ${offset})`,
      `(SELECT ${limit})`,
    ),
    window,
  )

/**
 * At any depth: `list_seek` finds the block of rows in which the page begins, so the query skips only rows of that
 * block. A page from the end has the same rows, counted from the start.
 */
function seekRows(
  resource: Model,
  { bounds }: Range,
  { column, descending }: Window,
  limit: string,
  offset: string,
): string {
  const { table } = resource
  const start = bounds.some(isLower) ? 't.before' : '0'
  const first = `${start} + ${descending ? `greatest(t.total - ${offset} - ${limit}, 0)` : offset}`
  const count = `greatest(least(t.total - ${offset}, ${limit}), 0)`
  const key = keyOf(resource)
  const keys =
    `SELECT ${key.map((name) => `${name} AS _${name}`).join(', ')} FROM ${table} ` +
    `WHERE ${address(resource)} AND ${placeSql(column, '>=', 'block.at', 'block.id')} ` +
    `ORDER BY ${order({ column, descending: false })} OFFSET place.first - block.before`
  return (
    `SELECT whole.* FROM (SELECT ${first} AS first, ${count} AS count) place ` +
    `CROSS JOIN LATERAL list_seek(${listArguments(resource)}, '${column}', place.first) block ` +
    `CROSS JOIN LATERAL (${cutRows(keys, 'place.count')}) page_keys ` +
    `JOIN ${table} whole ON ${key.map((name) => `whole.${name} = page_keys._${name}`).join(' AND ')} AND whole.store_id = $1::uuid`
  )
}
