import type { Connection, Sql, Tuple } from '../database.ts'

/** A place in the log of a primary. */
export interface Position {
  /** The bytes of the log up to it. */
  readonly bytes: bigint
  /** The history that it belongs to: a standby that becomes a primary begins another one. */
  readonly timeline: number
}

// What is on the disk has been acknowledged. Where commits do not wait for the disk, all that is written.
const positionSql = `SELECT at - '0/0'::pg_lsn, ('x' || substr(pg_walfile_name(at), 1, 8))::bit(32)::integer
  FROM (SELECT CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn()
    ELSE pg_current_wal_flush_lsn() END AS at) now`

/** Where the primary is: all that it has acknowledged before this question is before the position. */
export async function positionOf(primary: Connection): Promise<Position> {
  const [[bytes, timeline] = []] = await primary.run({ text: positionSql, values: [] })
  return { bytes: BigInt(bytes as string), timeline: Number(timeline) }
}

/** Where the primary is, and which cluster it is: PostgreSQL reads a file for that. */
export async function primaryOf(primary: Connection): Promise<Primary> {
  const text = 'SELECT system_identifier FROM pg_control_system()'
  const [[system] = []] = await primary.run({ text, values: [] })
  return { ...(await positionOf(primary)), system: system as string }
}

export interface Primary extends Position {
  readonly system: string
}

/** What a standby has replayed. */
export const replayedSql: Sql = {
  text: `SELECT pg_last_wal_replay_lsn() - '0/0'::pg_lsn, pg_is_in_recovery()`,
  values: [],
}

/** The bytes of the log that it has replayed; undefined if it is no standby. */
export const replayedIn = ([bytes, isStandby]: Tuple = []): bigint | undefined =>
  isStandby === 't' && bytes != null ? BigInt(bytes) : undefined

// The timeline that it receives, or, if it reads archived log or may not say, the last one that it has stored.
const standbySql: Sql = {
  text: `SELECT pg_last_wal_replay_lsn() - '0/0'::pg_lsn, pg_is_in_recovery(),
    (SELECT system_identifier FROM pg_control_system()),
    greatest((SELECT received_tli FROM pg_stat_wal_receiver),
      (SELECT min_recovery_end_timeline FROM pg_control_recovery()), (SELECT timeline_id FROM pg_control_checkpoint())),
    current_setting('hot_standby_feedback') = 'on'`,
  values: [],
}

/** What a replica says of itself. */
export interface Standing {
  readonly replayed: bigint | undefined
  readonly system: string
  readonly timeline: number
  /** Whether the primary keeps the rows that its long reads see. */
  readonly hasFeedback: boolean
}

export async function standingOf(replica: Connection): Promise<Standing> {
  const [row = []] = await replica.run(standbySql)
  const [, , system, timeline, hasFeedback] = row
  return {
    ...{ replayed: replayedIn(row), system: system as string, timeline: Number(timeline) },
    hasFeedback: hasFeedback === 't',
  }
}

/** Why the replica does not follow this primary; undefined if it does. */
export function whyNot(primary: Primary, { replayed, system, timeline }: Standing): string | undefined {
  if (system !== primary.system) return 'it is a replica of another database'
  if (replayed === undefined) return 'it is no standby (any more)'
  // Beyond the place where a promoted server began, its log may be another one.
  if (timeline < primary.timeline)
    return `it follows timeline ${timeline}, and the primary is on ${primary.timeline}`
  return timeline > primary.timeline ? `it follows a newer primary (timeline ${timeline})` : undefined
}
