import type { Model, ValueType } from '../shape/model.ts'
import type { Binds } from '../storage/binds.ts'
import { editionTotal } from '../storage/editions.ts'
import { address, casts, countOf, type Window } from './page-text.ts'
import type { PlannedFilter } from './plan.ts'

/** The key of a list's counters, and their scope: the innermost parent, else the store. */
export const listKey = ({ table, scopeColumns }: Model): string =>
  scopeColumns.length ? `${table}.${scopeColumns.at(-1)}` : table

/** The arguments that identify a list to the SQL functions of its counters: key, store, scope. */
export const listArguments = (resource: Model): string => `'${listKey(resource)}', $1, ${scopeOf(resource)}`

const scopeOf = ({ scopeColumns }: Model) => `$${scopeColumns.length + 1}::uuid`

/**
 * An exact total without counting: the merged counter plus the unmerged changes. Only lists without counters are
 * counted. The values are the store and the list's scope.
 */
export function totalSql(resource: Model): string {
  if (resource.editions) return editionTotalSql(resource)
  if (resource.counted === false) return countOf(`FROM ${resource.table} WHERE ${address(resource)}`)
  const at = waitingAt(resource)
  return (
    `SELECT coalesce((SELECT n FROM list_totals WHERE ${at}), 0) + coalesce(sum(n), 0) AS total, ` +
    `count(*) AS unmerged FROM list_deltas WHERE ${at}`
  )
}

/** The total that the writer of the edition stored. */
function editionTotalSql({ scopeColumns, ...resource }: Model): string {
  const scope = scopeColumns.map((_, i) => `$${i + 2}::uuid`).join(', ')
  const edition = `$${scopeColumns.length + 2}::int`
  return (
    `SELECT coalesce((${editionTotal(`'${listKey({ scopeColumns, ...resource })}'`, scope, edition)}), 0) AS total, ` +
    `0 AS unmerged`
  )
}

const waitingAt = (resource: Model) =>
  `list = '${listKey(resource)}' AND store_id = $1 AND scope = ${scopeOf(resource)}`

/**
 * The orders that `list_blocks` covers: in these the server knows the position of any row without counting the rows
 * before it.
 */
const walkedBy: Readonly<Record<string, ValueType>> = { id: 'uuid', created_at: 'time', updated_at: 'time' }

export const isWalked = (column: string): boolean => Object.hasOwn(walkedBy, column)

const before = { gt: '<=', ge: '<', lt: '<', le: '<=' } as const
const beyond = { gt: '>', ge: '>=', lt: '<', le: '<=' } as const

/** One end of a range. `value` is the value, or its placeholder. */
export interface Bound {
  readonly op: keyof typeof before
  readonly value: string
}

/** Part of a list, between two values of an order. Without bounds it is the whole list. */
export interface Range {
  readonly column?: string
  readonly bounds: readonly Bound[]
}

export const isLower = ({ op }: Bound): boolean => op === 'gt' || op === 'ge'

/** The range that a filter describes, if it does: a walk's `gt(id,…)`, or both ends of a time. */
export function rangeOf(filter: PlannedFilter | undefined): Range | undefined {
  if (!filter) return { bounds: [] }
  const terms = filter.is === 'and' ? filter.parts : [filter]
  let column: string | undefined
  const bounds: Bound[] = []
  for (const term of terms) {
    if (term.is !== 'term' || term.rule.where || !isWalked(term.rule.column)) return undefined
    if (!isOneOf(before, term.op) || (column ?? term.rule.column) !== term.rule.column) return undefined
    column = term.rule.column
    bounds.push({ op: term.op, value: term.values[0] as string })
  }
  const [lower, upper] = [bounds.filter(isLower), bounds.filter((bound) => !isLower(bound))]
  return column && lower.length < 2 && upper.length < 2 ? { column, bounds: [...lower, ...upper] } : undefined
}

const isOneOf = <K extends string>(options: Readonly<Record<K, unknown>>, name: string): name is K =>
  Object.hasOwn(options, name)

const bound = (column: string, { value }: Bound) => value + casts[walkedBy[column] as ValueType]

/** The range with placeholders for its values. */
export const boundBy = ({ column, bounds }: Range, { bind }: Pick<Binds, 'bind'>): Range => ({
  ...(column && { column }),
  bounds: bounds.map(({ op, value }) => ({ op, value: bind(value) })),
})

/** The SQL condition of one end. */
export const boundSql = (column: string, end: Bound): string =>
  `${column} ${beyond[end.op]} ${bound(column, end)}`

/** The SQL condition that compares a row's position in an order with these values. */
export const placeSql = (column: string, sign: string, at: string, id: string): string =>
  column === 'id' ? `id ${sign} ${id}` : `(${column}, id) ${sign} (${at}, ${id})`

/** The condition for the rows after the cursor, in the order of the window. */
export function behindSql({ column, descending, behind }: Window, { bind }: Pick<Binds, 'bind'>): string {
  const id = `${bind(behind?.id)}::uuid`
  const value = column === 'id' ? '' : `${bind(behind?.value)}${behind?.cast}`
  return placeSql(column, descending ? '<' : '>', value, id)
}

/** As `totalSql`, for a range with bound values. `before` is the number of rows of the list before it. */
export function rangeTotalSql(resource: Model, { column, bounds }: Range): string {
  if (!column) return totalSql(resource)
  const [lower, upper] = [bounds.find(isLower), bounds.find((end) => !isLower(end))]
  const from = lower ? `(${rowsBefore(resource, column, lower)})` : '0'
  const to = upper ? `(${rowsBefore(resource, column, upper)})` : 'whole.total'
  const moves =
    column === 'updated_at' ? ` + (SELECT count(*) FROM list_moves WHERE ${waitingAt(resource)})` : ''
  // OFFSET 0 makes PostgreSQL compute each end once, not at each use.
  return (
    `SELECT greatest(ends.after - ends.before, 0) AS total, ends.before, ends.unmerged FROM (` +
    `SELECT ${from} AS before, ${to} AS after, whole.unmerged${moves} AS unmerged FROM (${totalSql(resource)}) whole OFFSET 0) ends`
  )
}

const firstId = `'00000000-0000-0000-0000-000000000000'`
const lastId = `'ffffffff-ffff-ffff-ffff-ffffffffffff'`

/**
 * How many rows of the list are before one end: the sum of the blocks before it, plus the rows counted in its own
 * block.
 */
function rowsBefore(resource: Model, column: string, end: Bound): string {
  const value = bound(column, end)
  const sign = before[end.op]
  const place = column === 'id' ? `'-infinity', ${value}` : `${value}, ${sign === '<' ? firstId : lastId}`
  return (
    `SELECT block.before + (SELECT count(*) FROM ${resource.table} WHERE ${address(resource)} ` +
    `AND ${placeSql(column, '>=', 'block.at', 'block.id')} AND ${column} ${sign} ${value}) ` +
    `FROM list_block_at(${listArguments(resource)}, '${column}', ${place}) block`
  )
}
