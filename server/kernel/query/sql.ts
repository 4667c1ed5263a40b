import type { Resource } from '../resource.ts'
import { rowColumns } from '../storage/store.ts'
import type { PlannedFilter } from './plan.ts'

/** Collects a statement's values and hands out their placeholders: a value never enters the text. */
export class Binds {
  readonly values: unknown[]

  constructor(values: readonly unknown[]) {
    this.values = [...values]
  }

  readonly bind = (value: unknown): string => `$${this.values.push(value)}`
}

const casts = {
  text: '',
  uuid: '::uuid',
  time: '::timestamptz',
  number: '::float8',
  boolean: '::boolean',
} as const
const comparisons = { eq: '=', gt: '>', ge: '>=', lt: '<', le: '<=', like: 'LIKE', ilike: 'LIKE' } as const

/** The condition of a planned filter. */
export function condition(filter: PlannedFilter, binds: Binds): string {
  if (filter.kind !== 'term') {
    return `(${filter.parts.map((part) => condition(part, binds)).join(filter.kind === 'and' ? ' AND ' : ' OR ')})`
  }
  const { op, rule, values } = filter
  if (rule.where) return rule.where(op, values, binds.bind, rule.element)
  if (op === 'is_null') return `${rule.column} IS NULL`
  const cast = casts[rule.kind]
  const fold = rule.caseless || op === 'ilike' ? (text: string) => `lower(${text})` : (text: string) => text
  if (op === 'in') {
    return `${fold(rule.column)} IN (${values.map((value) => fold(binds.bind(value) + cast)).join(', ')})`
  }
  if (op === 'contains' || op === 'contains_any' || op === 'contains_all' || op === 'text') {
    throw new Error(`${rule.column}: ${op} needs a where of its own`)
  }
  return `${fold(rule.column)} ${comparisons[op]} ${fold(binds.bind(values[0]) + cast)}`
}

/** What a list is made of. */
export interface Source {
  readonly resource: Resource
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

/** Below this offset skipping rows costs less than looking up where to start. */
const deepFrom = 200

/**
 * One statement for a page, its exact total and the store's page length, all of one snapshot. Its columns: total,
 * unmerged changes of the counter, page length, then the row's.
 */
export function pageSql(source: Source, filter: PlannedFilter | undefined, window: Window, storeId: string) {
  const { resource } = source
  const binds = new Binds([storeId])
  const belonging = belongs(source, binds)
  const conditions = filter ? `${belonging} AND ${condition(filter, binds)}` : belonging
  const total =
    filter || source.where
      ? `(SELECT count(*) AS total, 0 AS unmerged FROM ${resource.table} WHERE ${conditions})`
      : counted(source)
  const way = window.descending ? 'DESC' : 'ASC'
  const order = (alias: string) =>
    window.column === 'id' ? `${alias}id ${way}` : `${alias}${window.column} ${way}, ${alias}id ${way}`
  let where = conditions
  if (window.behind) {
    const { value, id, cast } = window.behind
    const sign = window.descending ? '<' : '>'
    where +=
      window.column === 'id'
        ? ` AND id ${sign} ${binds.bind(id)}::uuid`
        : ` AND (${window.column}, id) ${sign} (${binds.bind(value)}${cast}, ${binds.bind(id)}::uuid)`
  }
  // The limit is part of the text: the planner must know it to choose the index. It is a checked whole number.
  const cut = `LIMIT ${window.limit}${window.offset ? ` OFFSET ${window.offset}` : ''}`
  const columns = rowColumns(resource, 'p.')
  // `whole` has the sort column as well; it is found by the index alone.
  const key = ['store_id', 'id', ...resource.scopeColumns].join(', ')
  const rows =
    window.offset < deepFrom
      ? `SELECT * FROM ${resource.table} WHERE ${where} ORDER BY ${order('')} ${cut}`
      : `SELECT whole.* FROM (SELECT ${key} FROM ${resource.table} WHERE ${where} ` +
        `ORDER BY ${order('')} ${cut}) found JOIN ${resource.table} whole USING (${key})`
  const text =
    `SELECT t.total, t.unmerged, (${pageLength}), ${columns} FROM ${total} t ` +
    `LEFT JOIN (${rows}) p ON true ORDER BY ${order('p.')}`
  const plain = !filter && !source.where && !window.behind && window.offset === 0
  return { text, values: binds.values, once: !plain }
}

/** The store's default page length. Its setting is the singleton `settings`. */
const pageLength = `SELECT doc->>'page_length' FROM singletons WHERE store_id = $1 AND name = 'settings'`

/** An exact total without counting: the merged counter and the changes not yet merged into it. */
function counted({ resource }: Source): string {
  const scope = resource.scopeColumns.length ? `$${resource.scopeColumns.length + 1}::uuid` : '$1::uuid'
  const at = `list = '${listKey(resource)}' AND store_id = $1 AND scope = ${scope}`
  return (
    `(SELECT coalesce((SELECT n FROM list_totals WHERE ${at}), 0) + coalesce(sum(n), 0) AS total, ` +
    `count(*) AS unmerged FROM list_deltas WHERE ${at})`
  )
}
