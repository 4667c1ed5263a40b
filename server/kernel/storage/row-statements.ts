import type { Model } from '../shape/model.ts'
import { inEdition } from './editions.ts'
import { rowColumns, wholeColumns, writtenColumns } from './stored-row.ts'

/** The triggers of the change feed read the author, the request and the time from a setting of the transaction. */
export const recordedBy = (n: number): string => `set_config('sutler.by', $${n}, true)`

/** The SQL of one resource, built once. `$1` is always the store. */
interface Statements {
  readonly find: string
  readonly findWhole: string
  /** Conditions may follow, and `returning`. */
  readonly insert: string
  readonly returning: string
  readonly update: string
  readonly touch: string
  readonly remove: string
}

const statements = new WeakMap<Model, Statements>()

export function statementsOf(resource: Model): Statements {
  const cached = statements.get(resource)
  if (cached) return cached
  const { table, scopeColumns, editions } = resource
  const beside = resource.inside ? ['hidden', 'inside'] : ['hidden']
  const columns = rowColumns(resource)
  const whole = wholeColumns(resource)
  const address = ['store_id = $1', 'id = $2', ...scopeColumns.map((column, i) => `${column} = $${i + 3}`)]
  const edition = `$${scopeColumns.length + 3}::int`
  if (editions) address.push(inEdition(edition))
  const at = address.join(' AND ')
  const next = scopeColumns.length + 3
  const after = next + beside.length
  const scope = scopeColumns.map((column) => `${column}, `).join('')
  const scopeValues = scopeColumns.map((_, i) => `$${i + 3}::uuid, `).join('')
  const texts: Statements = {
    find: `SELECT ${columns} FROM ${table} WHERE ${at}`,
    findWhole: `SELECT ${whole} FROM ${table} WHERE ${at}`,
    insert:
      `INSERT INTO ${table} (store_id, id, ${scope}created_at, updated_at, doc, ${beside.join(', ')}) ` +
      `SELECT $1::uuid, $2::uuid, ${scopeValues}$${next}::timestamptz, $${after + 3}::timestamptz, $${next + 1}::json, ` +
      `${beside.map((_, i) => `$${next + 2 + i}::json`).join(', ')} FROM ${recordedBy(after + 2)}`,
    returning: ` RETURNING ${writtenColumns(resource)}`,
    update:
      `UPDATE ${table} SET version = version + 1, updated_at = greatest(updated_at, fenced($${next})), ` +
      `doc = $${next + 1}::json, ${beside.map((name, i) => `${name} = $${next + 2 + i}::json`).join(', ')} ` +
      `FROM ${recordedBy(after + 2)} WHERE ${at} AND version = $${after + 3}`,
    touch:
      `UPDATE ${table} SET version = version + 1, updated_at = greatest(updated_at, fenced($${next})) ` +
      `FROM ${recordedBy(next + 1)} WHERE ${at} RETURNING 1`,
    remove: `DELETE FROM ${table} USING ${recordedBy(next)} WHERE ${at} AND version = $${next + 1} RETURNING 1`,
  }
  statements.set(resource, texts)
  return texts
}
