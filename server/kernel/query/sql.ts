import type { Fields } from '../fields.ts'
import type { Resource } from '../resource.ts'
import { Binds } from '../storage/binds.ts'
import type { Sql } from '../storage/database.ts'
import { condition } from './condition.ts'
import { indexedPage } from './indexed-pages.ts'
import { address, keyOf, order, pageText, type Window, wholeRows } from './page-text.ts'
import { limits } from './parse.ts'
import type { PlannedFilter } from './plan.ts'
import { sparseRows } from './sparse-rows.ts'

/** What a list is made of. */
export interface Source<F extends Fields = Fields> {
  readonly resource: Resource<F>
  /** Values of the resource's scope columns, outermost first. */
  readonly scope: readonly string[]
  /** A further condition that every record meets; its lists are counted row by row. */
  readonly where?: (bind: (value: unknown) => string) => string
}

/** The key of a list's counters, and the scope they are kept for: the innermost parent, else the store. */
export const listKey = ({ table, scopeColumns }: Resource): string =>
  scopeColumns.length ? `${table}.${scopeColumns.at(-1)}` : table

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
  const plain = !filter && !source.where && !window.behind
  if (plain && (window.offset === 0 || window.column === 'created_at')) {
    return plainPage(source, window, storeId)
  }
  const indexed = filter && !source.where ? indexedPage(source, filter, window, storeId) : undefined
  return indexed ?? skippedPage(source, filter, window, storeId)
}

/** Of each resource: one for each of its orders, and one for what lies deeper. */
const plainTexts = new WeakMap<Resource, Map<string, string>>()

/** The text is the same whoever asks, and for how much of the list: it is written once, and prepared. */
function plainPage({ resource, scope }: Source, window: Window, storeId: string): Sql {
  const { limit, offset } = window
  const seeks = offset > 0
  const known = plainTexts.get(resource) ?? new Map<string, string>()
  plainTexts.set(resource, known)
  const name = `${order(window)} ${seeks}`
  const text =
    known.get(name) ??
    pageText(resource, totalSql(resource), (seeks ? soughtRows : firstRows)(resource, window), window)
  known.set(name, text)
  return { text, values: [storeId, ...scope, limit, ...(seeks ? [offset] : [])], page: true }
}

/** The text differs with each call. */
function skippedPage(
  source: Source,
  filter: PlannedFilter | undefined,
  window: Window,
  storeId: string,
): Sql {
  const { resource, scope, where } = source
  const { table } = resource
  const { limit, offset } = window
  const binds = new Binds([storeId, ...scope])
  const narrowed = where ? [where(binds.bind)] : []
  const belonging = [address(resource), ...narrowed].join(' AND ')
  const conditions = filter ? [...narrowed, condition(filter, binds)] : narrowed
  const total =
    conditions.length === 0
      ? totalSql(resource)
      : `SELECT count(*) AS total, 0 AS unmerged FROM ${table} WHERE ${[address(resource), ...conditions].join(' AND ')}`
  const place = window.behind ? `${address(resource)} AND ${behindSql(window, binds)}` : address(resource)
  // A walk along the order it is filtered by has no rows to pass over.
  const along = !where && filter?.is === 'term' && filter.rule.column === window.column
  if (conditions.length > 0 && !along) {
    const whole = offset < deepFrom
    const matching = { place, condition: conditions.join(' AND '), limit, offset, whole }
    const { near, found } = sparseRows(resource, window, matching)
    // Told again what they belong to, the planner finds the rows of a query too, whose ids are in no index.
    const rows = whole ? found : wholeRows(resource, found, `(SELECT * FROM ${table} WHERE ${belonging})`)
    return { text: pageText(resource, total, rows, window, near), values: binds.values, once: true }
  }
  const rows = skippedRows(resource, [place, ...conditions].join(' AND '), window)
  return { text: pageText(resource, total, rows, window), values: binds.values, once: true }
}

/** Only rows behind the last one seen, in the order of the window. */
function behindSql({ column, descending, behind }: Window, binds: Binds): string {
  const sign = descending ? '<' : '>'
  const id = `${binds.bind(behind?.id)}::uuid`
  return column === 'id'
    ? `id ${sign} ${id}`
    : `(${column}, id) ${sign} (${binds.bind(behind?.value)}${behind?.cast}, ${id})`
}

// The limit is part of the text: the planner must know it to choose the index. It is a checked whole number.
function skippedRows(resource: Resource, conditions: string, window: Window): string {
  const { limit, offset } = window
  const cut = `ORDER BY ${order(window)} LIMIT ${limit}${offset ? ` OFFSET ${offset}` : ''}`
  const from = `FROM ${resource.table} WHERE ${conditions} ${cut}`
  return offset < deepFrom
    ? `SELECT * ${from}`
    : wholeRows(resource, `SELECT ${keyOf(resource).join(', ')} ${from}`)
}

/**
 * A bound limit, in the text only as many rows as a page may have. The planner then goes by the index for all of them;
 * it must not know the limit at any time, or it would find a plan for its value cheaper, and make it anew each time.
 */
const cutRows = (rows: string, limit: string): string =>
  `SELECT * FROM (${rows} LIMIT ${limit}) page LIMIT ${limits.pageMax + 1}`

const limitOf = ({ scopeColumns }: Resource) => `$${scopeColumns.length + 2}::bigint`
const offsetOf = ({ scopeColumns }: Resource) => `$${scopeColumns.length + 3}::bigint`

/** The first page of a whole list, in any order. */
const firstRows = (resource: Resource, window: Window): string =>
  cutRows(
    `SELECT * FROM ${resource.table} WHERE ${address(resource)} ORDER BY ${order(window)}`,
    `(SELECT ${limitOf(resource)})`,
  )

/**
 * A page of a whole list in order of creation, at any depth: `list_seek` names the block of rows it begins in, and
 * only rows of that block are skipped. A page from the end is the same rows counted from the start.
 */
function soughtRows(resource: Resource, { descending }: Window): string {
  const { table, scopeColumns } = resource
  const limit = limitOf(resource)
  const offset = offsetOf(resource)
  const first = descending ? `greatest(t.total - ${offset} - ${limit}, 0)` : offset
  const count = `greatest(least(t.total - ${offset}, ${limit}), 0)`
  const key = keyOf(resource)
  const keys =
    `SELECT ${key.map((column) => `${column} AS _${column}`).join(', ')} FROM ${table} ` +
    `WHERE ${address(resource)} AND (created_at, id) >= (block.at, block.id) ORDER BY created_at, id ` +
    'OFFSET place.first - block.before'
  return (
    `SELECT whole.* FROM (SELECT ${first} AS first, ${count} AS count) place ` +
    `CROSS JOIN LATERAL list_seek('${listKey(resource)}', $1, ${scopePlaceholder(scopeColumns)}, place.first) block ` +
    `CROSS JOIN LATERAL (${cutRows(keys, 'place.count')}) found ` +
    `JOIN ${table} whole ON ${key.map((column) => `whole.${column} = found._${column}`).join(' AND ')}`
  )
}

/** Counters are kept per innermost parent, else per store. */
const scopePlaceholder = (scope: readonly string[]) => `$${scope.length + 1}::uuid`

/**
 * An exact total without counting: the merged counter and the changes not yet merged into it. Its values are the store
 * and the list's scope.
 */
export function totalSql(resource: Resource): string {
  const scope = scopePlaceholder(resource.scopeColumns)
  const at = `list = '${listKey(resource)}' AND store_id = $1 AND scope = ${scope}`
  return (
    `SELECT coalesce((SELECT n FROM list_totals WHERE ${at}), 0) + coalesce(sum(n), 0) AS total, ` +
    `count(*) AS unmerged FROM list_deltas WHERE ${at}`
  )
}
