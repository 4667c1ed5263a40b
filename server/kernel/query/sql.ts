import type { Fields } from '../fields.ts'
import type { Resource } from '../resource.ts'
import { Binds } from '../storage/binds.ts'
import type { Sql } from '../storage/database.ts'
import { rowColumns } from '../storage/stored-row.ts'
import { limits } from './parse.ts'
import type { PlannedFilter } from './plan.ts'

/** What makes a placeholder's text a value of the type. */
export const casts = {
  text: '',
  uuid: '::uuid',
  time: '::timestamptz',
  number: '::float8',
  boolean: '::boolean',
} as const
const comparisons = { eq: '=', gt: '>', ge: '>=', lt: '<', le: '<=', like: 'LIKE', ilike: 'LIKE' } as const

/** The condition of a planned filter. */
export function condition(filter: PlannedFilter, binds: Binds): string {
  if (filter.is !== 'term') {
    return `(${filter.parts.map((part) => condition(part, binds)).join(filter.is === 'and' ? ' AND ' : ' OR ')})`
  }
  const { op, rule, values, part } = filter
  if (rule.where) return rule.where(op, values, binds.bind, part)
  if (op === 'is_null') return `${rule.column} IS NULL`
  const cast = casts[rule.type]
  const folds = op === 'ilike' || (rule.caseless && (op === 'eq' || op === 'in'))
  // Columns have the collation "C", whose `lower` knows ASCII only: it would not fold a column as it folds a value.
  const fold = folds ? (text: string) => `lower(${text} COLLATE "default")` : (text: string) => text
  if (op === 'in') {
    return `${fold(rule.column)} IN (${values.map((value) => fold(binds.bind(value) + cast)).join(', ')})`
  }
  if (op === 'contains' || op === 'contains_any' || op === 'contains_all' || op === 'text') {
    throw new Error(`${rule.column}: ${op} needs a where of its own`)
  }
  return `${fold(rule.column)} ${comparisons[op]} ${fold(binds.bind(values[0]) + cast)}`
}

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

/** Where a list's rows are: the store, and the scope behind it. Every statement of a list begins with their values. */
const address = ({ scopeColumns }: Resource): string =>
  ['store_id = $1', ...scopeColumns.map((column, i) => `${column} = $${i + 2}::uuid`)].join(' AND ')

/** The part of a list that one page shows. */
export interface Window {
  readonly limit: number
  readonly offset: number
  readonly column: string
  readonly descending: boolean
  /** Only rows behind this one, in the order of the window. */
  readonly behind?: { readonly value: string; readonly id: string; readonly cast: string }
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
  const plain = !filter && !source.where && !window.behind
  if (plain && (window.offset === 0 || window.column === 'created_at')) {
    return plainPage(source, window, storeId)
  }
  return skippedPage(source, filter, window, storeId)
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
  return { text, values: [storeId, ...scope, limit, ...(seeks ? [offset] : [])] }
}

/** The text differs with each call. */
function skippedPage(
  source: Source,
  filter: PlannedFilter | undefined,
  window: Window,
  storeId: string,
): Sql {
  const { resource, scope, where } = source
  const binds = new Binds([storeId, ...scope])
  const belonging = where ? `${address(resource)} AND ${where(binds.bind)}` : address(resource)
  const conditions = filter ? `${belonging} AND ${condition(filter, binds)}` : belonging
  const whole = !filter && !where
  const total = whole
    ? totalSql(resource)
    : `SELECT count(*) AS total, 0 AS unmerged FROM ${resource.table} WHERE ${conditions}`
  // A walk along the order it is filtered by has no rows to pass over.
  const sparse = !whole && !(filter?.is === 'term' && filter.rule.column === window.column)
  const rows = skippedRows(source, belonging, conditions, window, binds, sparse)
  return { text: pageText(resource, total, rows, window), values: binds.values, once: true }
}

const pageText = (resource: Resource, total: string, rows: string, window: Window): string =>
  `WITH t AS MATERIALIZED (${total}) SELECT t.total, t.unmerged, (${pageLength}), ${rowColumns(resource, 'p.')} ` +
  `FROM t LEFT JOIN LATERAL (${rows}) p ON true ORDER BY ${order(window, 'p.')}`

function order({ column, descending }: Window, alias = ''): string {
  const way = descending ? 'DESC' : 'ASC'
  return column === 'id' ? `${alias}id ${way}` : `${alias}${column} ${way}, ${alias}id ${way}`
}

const keyOf = ({ scopeColumns }: Resource) => ['store_id', 'id', ...scopeColumns]

/** So few matches are all fetched and sorted sooner than met by walking the list in its order. */
const fewMax = 1000

// The limit is part of the text: the planner must know it to choose the index. It is a checked whole number.
function skippedRows(
  { resource }: Source,
  belonging: string,
  conditions: string,
  window: Window,
  binds: Binds,
  sparse: boolean,
): string {
  const { column, descending, limit, offset, behind } = window
  let where = conditions
  if (behind) {
    const sign = descending ? '<' : '>'
    const id = `${binds.bind(behind.id)}::uuid`
    where +=
      column === 'id'
        ? ` AND id ${sign} ${id}`
        : ` AND (${column}, id) ${sign} (${binds.bind(behind.value)}${behind.cast}, ${id})`
  }
  const cut = `ORDER BY ${order(window)} LIMIT ${limit}${offset ? ` OFFSET ${offset}` : ''}`
  const key = keyOf(resource).join(', ')
  const columns = offset < deepFrom ? '*' : key
  let found = `SELECT ${columns} FROM ${resource.table} WHERE ${where} ${cut}`
  if (sparse) {
    // The planner only guesses how many rows match, and a limit makes it hope to meet them soon. The total is known
    // by now: one of the two never runs. OFFSET 0 hides the limit from the planner.
    const all = `SELECT * FROM ${resource.table} WHERE ${where} AND t.total <= ${fewMax} OFFSET 0`
    found =
      `(SELECT ${columns} FROM ${resource.table} WHERE ${where} AND t.total > ${fewMax} ${cut}) ` +
      `UNION ALL (SELECT ${columns} FROM (${all}) few ${cut})`
  }
  if (offset < deepFrom) return found
  // Told again what they belong to, the planner finds the rows of a view too, whose ids are in no index.
  const whole = `SELECT * FROM ${resource.table} WHERE ${belonging}`
  return `SELECT whole.* FROM (${found}) found JOIN (${whole}) whole USING (${key})`
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

/** The store's default page length. Its setting is the singleton `settings`. */
const pageLength = `SELECT doc->>'page_length' FROM singletons WHERE store_id = $1 AND name = 'settings'`

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
