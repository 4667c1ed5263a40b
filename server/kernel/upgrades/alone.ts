import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Database } from '../storage/database.ts'

// Several processes may start at once: one migrates, the others wait for it.
const lock = 7305012
const lookAgainMs = 100

/** Is told what a start waits for: the migration that runs, here or in another process. */
export type OnWait = (reason: string) => void

/** Runs work while no other process migrates this database. */
export async function alone<T>(
  database: Database,
  onWait: OnWait,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await database.sessions.connect()
  try {
    await endWithClient(client)
    while (!(await hasLock(client))) {
      onWait(`waits for ${await runningMigration(client)}, which another process applies`)
      await sleep(lookAgainMs)
    }
    return await work(client)
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [lock]).catch(() => {})
    client.release()
  }
}

/**
 * A statement that waits ends soon after its process, and with it the locks of its session. PostgreSQL cannot do this
 * on every system; there the session ends when the statement does.
 */
export async function endWithClient(client: pg.ClientBase): Promise<void> {
  await client.query(`SET client_connection_check_interval = '1s'`).catch(() => {})
}

async function hasLock(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS taken', [lock])
  return rows[0].taken
}

/** The session that has the lock says the migration in its name: it ends with the process. */
async function runningMigration(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query(
    `SELECT substring(a.application_name FROM '^sutler (\\S+[.]sql)$') AS name
    FROM pg_locks l JOIN pg_stat_activity a USING (pid)
    WHERE l.locktype = 'advisory' AND l.granted AND l.classid = 0 AND l.objid = $1
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [lock],
  )
  return rows[0]?.name ? `the migration ${rows[0].name}` : 'a migration'
}
