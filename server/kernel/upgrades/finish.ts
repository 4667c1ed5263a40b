import type pg from 'pg'
import type { Database } from '../storage/database.ts'
import { alone, endWithClient } from './alone.ts'
import { apply } from './apply.ts'
import { type BackfillProgress, backfill } from './backfill.ts'
import { pendingMigrations } from './migrations.ts'

// One process finishes the migrations. It is not the lock of `migrate`: a backfill may take hours, and no start waits.
const lock = 7305013

interface FinishOptions {
  readonly folder?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** For a server: backfills rest between portions, and what older processes use stays for a day. */
  readonly isGentle?: boolean
  readonly onProgress?: (progress: BackfillProgress) => void
}

/** What keeps the migrations from their end; undefined if all are applied. */
type Remainder = string | undefined

/** How long ago an older process may have lived, before what it uses is removed: for a command, and for a server. */
const quietFor = { command: '15 seconds', server: '1 day' } as const

/**
 * Runs backfills, and then removes what only older versions use, when no older process lives. A server waits for a day
 * longer, so that an operator may go back to the previous version.
 */
export async function finishMigrations(
  database: Database,
  { folder, signal, isGentle = false, onProgress = () => {} }: FinishOptions = {},
): Promise<Remainder> {
  if ((await pendingMigrations(database, folder)).length === 0) return undefined
  const client = await database.sessions.connect()
  try {
    await endWithClient(client)
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS taken', [lock])
    if (!rows[0].taken) return 'another process finishes the migrations'
    for (const migration of await pendingMigrations(database, folder)) {
      if (migration.step === 'backfill') {
        const isDone = await backfill(client, migration, { signal, isGentle, onProgress })
        if (!isDone) return `the backfill ${migration.name} is ${signal?.aborted ? 'interrupted' : 'paused'}`
      } else {
        // A process that starts waits meanwhile, so none of an older version comes in between.
        const reason = await alone(
          database,
          () => {},
          async (own) => {
            const older = await olderProcess(own, migration.name, isGentle)
            if (older === undefined) await apply(own, migration)
            return older
          },
        )
        if (reason !== undefined) return `${migration.name} waits: ${reason}`
      }
    }
    return undefined
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [lock]).catch(() => {})
    client.release()
  }
}

/** Names a process that does not have the migration, and lives or has lived lately. */
async function olderProcess(
  client: pg.ClientBase,
  migration: string,
  isGentle: boolean,
): Promise<string | undefined> {
  const { rows } = await client.query(
    `SELECT name, version FROM processes
      WHERE last_migration < $1 AND seen_at > now() - $2::interval AND ($3 OR NOT has_ended)
      ORDER BY seen_at DESC LIMIT 1`,
    [migration, isGentle ? quietFor.server : quietFor.command, isGentle],
  )
  const [row] = rows
  if (!row) return undefined
  return isGentle
    ? `${row.name} of version ${row.version} has run within the last day (sutler migrate does not wait so long)`
    : `${row.name} of version ${row.version} is running: stop it first`
}

const pauseSql = `INSERT INTO backfills (name, is_paused) SELECT unnest($1::text[]), $2
  ON CONFLICT (name) DO UPDATE SET is_paused = excluded.is_paused`

/** Pauses the backfills that are not done, or resumes them. Returns their names. */
export async function pauseBackfills(database: Database, isPaused: boolean): Promise<readonly string[]> {
  const names = (await pendingMigrations(database))
    .filter(({ step }) => step === 'backfill')
    .map(({ name }) => name)
  await database.run({ text: pauseSql, values: [names, isPaused] })
  return names
}
