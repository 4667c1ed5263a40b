import type { Model } from '../shape/model.ts'
import { inEdition } from './editions.ts'
import { rowColumns, wholeColumns, writtenColumns } from './stored-row.ts'

/**
 * The triggers of the change feed read the author, the request and the time from a setting of the transaction. True: a
 * condition on the rows of a write, which sets it where they are.
 */
export const recordedBy = (n: number, row = ''): string => `recorded(${row}store_id, $${n})`

/** The SQL of one resource, built once. `$1` is always the store. */
interface Statements {
  readonly find: string
  readonly findWhole: string
  /** Without conditions. */
  readonly insert: string
  /** Conditions on the store `s` follow. */
  readonly insertIf: string
  /** What follows an insert: the last column is for nobody. */
  readonly recorded: string
  /** Conditions may follow. */
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
  const into = `INSERT INTO ${table} (store_id, id, ${scope}created_at, updated_at, doc, ${beside.join(', ')})`
  const values =
    `$2::uuid, ${scopeValues}$${next}::timestamptz, $${after + 3}::timestamptz, $${next + 1}::json, ` +
    beside.map((_, i) => `$${next + 2 + i}::json`).join(', ')
  const texts: Statements = {
    find: `SELECT ${columns} FROM ${table} WHERE ${at}`,
    findWhole: `SELECT ${whole} FROM ${table} WHERE ${at}`,
    insert: `${into} VALUES ($1::uuid, ${values})`,
    insertIf: `${into} SELECT s.id, ${values} FROM stores s WHERE s.id = $1::uuid`,
    recorded: recordedBy(after + 2),
    update:
      `UPDATE ${table} SET version = version + 1, updated_at = fenced(updated_at, $${next}), ` +
      `doc = $${next + 1}::json, ${beside.map((name, i) => `${name} = $${next + 2 + i}::json`).join(', ')} ` +
      `WHERE ${at} AND version = $${after + 3} AND ${recordedBy(after + 2)}`,
    touch:
      `UPDATE ${table} SET version = version + 1, updated_at = fenced(updated_at, $${next}) ` +
      `WHERE ${at} AND ${recordedBy(next + 1)} RETURNING 1`,
    remove: `DELETE FROM ${table} WHERE ${at} AND version = $${next + 1} AND ${recordedBy(next)} RETURNING 1`,
  }
  statements.set(resource, texts)
  return texts
}

/**
 * A write with the columns of its row (`writtenColumns`), and `more`. What other rows show of it is read behind the
 * write: one node cannot look it up while it returns a row.
 */
export function returning(resource: Model, write: string, more = ''): string {
  const columns = writtenColumns(resource)
  if (!resource.shownWith && !resource.shownAs) return `${write} RETURNING ${columns}${more && `, ${more}`}`
  const { table } = resource
  return `WITH written AS (${write} RETURNING ${table}.*${more && `, ${more}`})
    SELECT ${columns}${more && ', NULL'} FROM written ${table}`
}
