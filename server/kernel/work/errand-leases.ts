import { columns, optionalText } from '../storage/columns.ts'
import type { Database } from '../storage/database.ts'
import type { Instance, Work } from './context.ts'

/** Whose an errand is, and until when. */
export interface ErrandLease {
  readonly name: string
  readonly leasedUntil: string
  /** 0 if the process that had it is dead. */
  readonly holdsForMs: number
  readonly isRecorded: boolean
  readonly createdAtMs: number
}

/** The lease of an errand, and how long it holds. */
export async function findLease(
  { store, instance }: Pick<Work, 'store' | 'instance'>,
  id: string,
): Promise<ErrandLease | undefined> {
  const [row] = await store.run(`SELECT ${leaseColumns.sql} FROM errands WHERE store_id = $1 AND id = $2`, id)
  if (!row) return undefined
  const lease = leaseColumns.read(row)
  const holdsForMs = await heldForMs(instance, lease.leasedUntil, lease.leasedBy)
  return { ...lease, isRecorded: lease.isRecorded === 't', holdsForMs }
}

/**
 * How long a lease of this process, or of another one, keeps others away; 0 if its process is dead. The sessions of
 * processes are not where the store is, so the statement that knows them reads nothing of the store.
 */
export async function heldForMs(
  { database }: Pick<Instance, 'database'>,
  until: string,
  holder: string | undefined,
): Promise<number> {
  const text = `SELECT CASE WHEN lease_holds($1::timestamptz, $2)
    THEN greatest(0, extract(epoch FROM $1::timestamptz - clock_timestamp()) * 1000) ELSE 0 END`
  const [row] = await database.quick({ text, values: [until, holder ?? null] })
  return Number(row?.[0])
}

const leaseColumns = columns({
  name: 'name',
  leasedUntil: 'leased_until',
  leasedBy: ['leased_by', optionalText],
  isRecorded: 'ended_at IS NOT NULL',
  createdAtMs: ['extract(epoch FROM created_at) * 1000', Number],
})

/** Calls the jobs of the errands whose process is dead. They would wait for the ends of their leases. */
export async function resumeOrphans(database: Database): Promise<void> {
  const leased = await database.run({
    text: `SELECT store_id || ' errand ' || id, leased_until, leased_by FROM errands
      WHERE ended_at IS NULL AND leased_until > clock_timestamp()`,
    values: [],
  })
  if (!leased.length) return
  await database.run({
    text: `UPDATE graphile_worker._private_jobs j SET run_at = now()
      FROM unnest($1::text[], $2::timestamptz[], $3::text[]) i (key, leased_until, leased_by)
      WHERE NOT lease_holds(i.leased_until, i.leased_by) AND j.key = i.key AND j.locked_at IS NULL AND j.run_at > now()`,
    values: [0, 1, 2].map((column) => leased.map((row) => row[column])),
  })
}
