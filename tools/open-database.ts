import { bucketOf, type Config, filesDirOf } from '../server/config.ts'
import { Database } from '../server/kernel/storage/database.ts'
import { diskBlobs } from '../server/platform/blobs/disk-blobs.ts'
import { s3Blobs } from '../server/platform/blobs/s3-blobs.ts'
import { StartupRefusal } from '../server/platform/faults.ts'
import { findRunning, startEmbedded } from '../server/platform/postgres/embedded.ts'

const connections = 2

/** The files of the stores, as the settings say. */
export async function openBlobs(config: Config) {
  const [bucket, filesDir] = [bucketOf(config), filesDirOf(config)]
  return bucket ? s3Blobs(bucket, filesDir) : diskBlobs(filesDir)
}

export interface OpenDatabase {
  readonly database: Database
  readonly url: string
  close(): Promise<void>
}

/**
 * Opens the database of a server for a command: the one of the settings, without a pooler, or the one in the data
 * directory, which is started if no server runs on it. `mayRun` says whether a server may run meanwhile.
 */
export async function openDatabase(
  { databaseUrl, directDatabaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'directDatabaseUrl' | 'dataDir'>,
  mayRun: boolean,
): Promise<OpenDatabase> {
  const running = directDatabaseUrl ?? databaseUrl ?? (mayRun ? findRunning(dataDir) : undefined)
  // A start refuses a directory that another server has.
  const embedded = running === undefined ? await startEmbedded(dataDir) : undefined
  const url = running ?? (embedded?.url as string)
  const database = new Database(url, connections)
  const close = async () => {
    await database.close()
    await embedded?.stop()
  }
  try {
    await database.mustBeReachable()
    if (!mayRun) await mustBeAlone(database)
    return { database, url, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function mustBeAlone(database: Database): Promise<void> {
  const text = `SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name ~ '^sutler( [^ ]+[.]sql)?$' AND pid <> pg_backend_pid()`
  const [row] = await database.run({ text, values: [], once: true })
  if (Number(row?.[0]) > 0) {
    throw new StartupRefusal('a server runs on this database: stop it, and try again')
  }
}
