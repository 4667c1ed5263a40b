import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { startEmbedded } from '../../server/platform/postgres/embedded.ts'
import { copyDataDirectory } from './copy-data-directory.ts'
import type { OwnDatabase } from './own-database.ts'

/**
 * A migrated database with a store on a PostgreSQL of its own: for what waits until all transactions of a PostgreSQL
 * have ended, since those of other tests may take long, and for what needs other `settings`.
 */
export async function ownPostgres(
  settings: Readonly<Record<string, string | number>> = {},
): Promise<OwnDatabase> {
  const home = mkdtempSync(join(tmpdir(), 'sutler-own-'))
  copyDataDirectory(inject('dataDirectory'), home)
  const embedded = await startEmbedded(home, { fsync: 'off', ...settings })
  const pool = new pg.Pool({
    connectionString: embedded.url,
    max: 2,
    // Rows that a test inserts have the times that it says, however old.
    options: '-c sutler.keep_times=on',
  })
  pool.on('error', () => {})
  return {
    name: 'sutler',
    url: embedded.url,
    sql: (text, values) => pool.query(text, values),
    async drop() {
      await pool.end()
      await embedded.stop()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
