import type { Fields } from '../fields.ts'
import type { Resource } from '../resource.ts'
import { Binds } from '../storage/binds.ts'
import type { Sql } from '../storage/database.ts'
import { rowColumns } from '../storage/store.ts'
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

/** The condition that holds for every row of a list before it is filtered. `$1` is the store. */
function belongs({ resource, scope, where }: Source, binds: Binds): string {
  const conditions = ['store_id = $1']
  for (const [i, column] of resource.scopeColumns.entries()) {
    conditions.push(`${column} = ${binds.bind(scope[i])}::uuid`)
  }
  if (where) conditions.push(where(binds.bind))
  return conditions.join(' AND ')
}

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
  const { resource, scope, where } = source
  const whole = !filter && !where
  const seeks = whole && !window.behind && window.column === 'created_at' && window.offset > 0
  // The text of a plain page is the same for all who ask: it is written once, and prepared.
  const plain = whole && !window.behind && (seeks || window.offset === 0)
  if (!plain) return writePage(source, filter, window, storeId, seeks)
  const name = `${window.column} ${window.descending} ${window.limit} ${seeks}`
  const known = plainTexts.get(resource) ?? new Map<string, string>()
  plainTexts.set(resource, known)
  const values = seeks ? [storeId, ...scope, window.offset] : [storeId, ...scope]
  const kept = known.get(name)
  if (kept) return { text: kept, values }
  const { text } = writePage(source, filter, window, storeId, seeks)
  known.set(name, text)
  return { text, values }
}

const plainTexts = new WeakMap<Resource, Map<string, string>>()

function writePage(
  source: Source,
  filter: PlannedFilter | undefined,
  window: Window,
  storeId: string,
  seeks: boolean,
): Sql {
  const { resource } = source
  const binds = new Binds([storeId])
  const belonging = belongs(source, binds)
  const conditions = filter ? `${belonging} AND ${condition(filter, binds)}` : belonging
  const whole = !filter && !source.where
  const total = whole
    ? totalSql(resource)
    : `SELECT count(*) AS total, 0 AS unmerged FROM ${resource.table} WHERE ${conditions}`
  // A walk along the order it is filtered by has no rows to pass over.
  const sparse = !whole && !(filter?.is === 'term' && filter.rule.column === window.column)
  const rows = seeks
    ? soughtRows(source, window, binds)
    : skippedRows(source, belonging, conditions, window, binds, sparse)
  const text =
    `WITH t AS MATERIALIZED (${total}) SELECT t.total, t.unmerged, (${pageLength}), ${rowColumns(resource, 'p.')} ` +
    `FROM t LEFT JOIN LATERAL (${rows}) p ON true ORDER BY ${order(window, 'p.')}`
  return { text, values: binds.values, once: true }
}

function order({ column, descending }: Window, alias = ''): string {
  const way = descending ? 'DESC' : 'ASC'
  return column === 'id' ? `${alias}id ${way}` : `${alias}${column} ${way}, ${alias}id ${way}`
}

const keyOf = ({ scopeColumns }: Resource) => ['store_id', 'id', ...scopeColumns]

/** So few matches are all fetched and sorted sooner than met by walking the list in its order. */
const fewMax = 1000

// The limit is part of every text: the planner must know it to choose the index. It is a checked whole number.
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
 * A page of a whole list in order of creation, at any depth: `list_seek` names the block of rows it begins in, and
 * only rows of that block are skipped. A page from the end is the same rows counted from the start.
 */
function soughtRows({ resource, scope }: Source, window: Window, binds: Binds): string {
  const { table, scopeColumns } = resource
  const { limit, descending } = window
  const offset = `${binds.bind(window.offset)}::bigint`
  const first = descending ? `greatest(t.total - ${offset} - ${limit}, 0)` : offset
  const count = `greatest(least(t.total - ${offset}, ${limit}), 0)`
  const key = keyOf(resource)
  const at = ['store_id = $1', ...scopeColumns.map((column, i) => `${column} = $${i + 2}::uuid`)].join(
    ' AND ',
  )
  return (
    `SELECT whole.* FROM (SELECT ${first} AS first, ${count} AS count) page ` +
    `CROSS JOIN LATERAL list_seek('${listKey(resource)}', $1, ${scopePlaceholder(scope)}, page.first) block ` +
    // The inner limit is right, the outer one tells the planner.
    `CROSS JOIN LATERAL (SELECT * FROM (SELECT ${key.map((column) => `${column} AS _${column}`).join(', ')} FROM ${table} ` +
    `WHERE ${at} AND (created_at, id) >= (block.at, block.id) ORDER BY created_at, id ` +
    `OFFSET page.first - block.before LIMIT page.count) keys LIMIT ${limit}) found ` +
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
