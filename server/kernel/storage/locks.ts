import type { Rows } from './store.ts'

/** Takes a lock by a bound name until the transaction ends: in a SELECT from `stores`, on the node of the store. */
export const advisoryLockSql = (name: string): string =>
  `pg_advisory_xact_lock(hashtextextended($1::uuid::text || ${name}, 0))`

/** What `Store.lock` sends, as a part of a statement that also writes. */
export const lockSql = ({ table }: Pick<Rows, 'table'>, ids: string, strength = 'NO KEY UPDATE'): string =>
  `SELECT id FROM ${table} WHERE store_id = $1 AND id = ANY(${ids}::uuid[]) ORDER BY id FOR ${strength}`

/** The names of the locks of rows, for `LockQueues`. */
export const lockNames = (storeId: string, { table }: Pick<Rows, 'table'>, ids: readonly string[]) =>
  ids.map((id) => `${storeId} ${table} ${id}`)

/** The rows of a table among locks: the other way round. */
export function lockedRowsIn(
  storeId: string,
  { table }: Pick<Rows, 'table'>,
  locks: readonly string[],
): readonly string[] {
  const beginning = `${storeId} ${table} `
  return locks.flatMap((lock) => (lock.startsWith(beginning) ? lock.slice(beginning.length) : []))
}
