import type { Resource } from '../declare/resource.ts'
import { hasExpired } from '../query/find.ts'
import type { Fields } from '../shape/fields.ts'
import type { Whole } from '../shape/model.ts'
import { Binds } from '../storage/binds.ts'
import { advisoryLockSql } from '../storage/locks.ts'
import { wholeColumns } from '../storage/stored-row.ts'
import type { Work } from '../work/context.ts'

/** The keys of objects that exist from their first write on: see `ResourceDeclaration.unborn`. */

/** Locks the object with this key, and reads it as a whole; undefined if there is none, or it has expired. */
export const lockByKey = <F extends Fields, C>(work: Work, of: Resource<F, C>, key: string) =>
  lockRow(work, of, key, (isGone) => `NOT ${isGone}`)

/**
 * Locks the key: no one else creates an object with it until the transaction ends. Then does as `lockByKey`. An expired
 * object that still has the key is deleted: no one else may lock it before the key, as that could be a deadlock.
 */
export async function claimKey<F extends Fields, C>(
  work: Work,
  of: Resource<F, C>,
  key: string,
): Promise<Whole<F, C> | undefined> {
  await work.store.advisoryLock(lockOf(of, key))
  return lockRow(work, of, key, () => 'true')
}

/** Locks the object with this key or, as long as there is none, the key: one statement finds which. */
export async function lockOrClaim<F extends Fields, C>(
  work: Work,
  of: Resource<F, C>,
  key: string,
): Promise<Whole<F, C> | undefined> {
  const { sql, values, bind } = rowSql(work, of, key, (isGone) => `NOT ${isGone}`)
  work.store.enterLocks(of, [key])
  const claim = `CASE WHEN own.id IS NULL THEN ${advisoryLockSql(bind(lockOf(of, key)))} END`
  for (;;) {
    const tuples = await work.store.run(
      `SELECT own.*, ${claim} FROM stores one LEFT JOIN (${sql}) own ON true WHERE one.id = $1`,
      ...values.slice(1),
    )
    // Another statement than the one that waited for the lock: it sees what was written meanwhile.
    if (tuples[0]?.[1] === null) return lockRow(work, of, key, () => 'true')
    const rows = await work.store.rowsOf(of, tuples, 1)
    if (rows) return rows[0] as Whole<F, C>
  }
}

const lockOf = ({ table }: Resource, key: string): string => `${table} ${key}`

/** The statement that locks the object with a key. Its first column says whether the object has expired. */
function rowSql<F extends Fields, C>(
  { store, clock }: Work,
  of: Resource<F, C>,
  key: string,
  condition: (isGone: string) => string,
) {
  const { values, bind } = new Binds([store.id])
  const isNamed = of.key?.where?.(key, bind) ?? `${of.key?.field} = ${bind(key)}`
  const isGone = of.expires ? hasExpired(of.expires, bind(clock.now())) : 'false'
  const sql = `SELECT ${isGone}, ${wholeColumns(of)} FROM ${of.table}
    WHERE store_id = $1 AND ${isNamed} AND ${condition(isGone)} FOR NO KEY UPDATE`
  return { sql, values, bind }
}

async function lockRow<F extends Fields, C>(
  work: Work,
  of: Resource<F, C>,
  key: string,
  condition: (isGone: string) => string,
): Promise<Whole<F, C> | undefined> {
  const { store } = work
  const { sql, values } = rowSql(work, of, key, condition)
  store.enterLocks(of, [key])
  for (;;) {
    const tuples = await store.run(sql, ...values.slice(1))
    const rows = await store.rowsOf(of, tuples, 1)
    const row = rows?.[0] as Whole<F, C> | undefined
    if (rows && tuples[0]?.[0] !== 't') return row
    if (row && (await store.remove(of, row))) return undefined
  }
}
