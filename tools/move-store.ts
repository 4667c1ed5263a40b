import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { announce } from '../server/announce.ts'
import { app } from '../server/app.ts'
import { bucketOf, type Config, filesDirOf, readConfig } from '../server/config.ts'
import { firstStart } from '../server/first-start.ts'
import { systemClock } from '../server/kernel/clock.ts'
import { Database } from '../server/kernel/storage/database.ts'
import { migrate } from '../server/kernel/storage/migrate.ts'
import { migrateJobs } from '../server/kernel/work/jobs.ts'
import { diskBlobs } from '../server/platform/blobs/disk-blobs.ts'
import { s3Blobs } from '../server/platform/blobs/s3-blobs.ts'
import { StartupError } from '../server/platform/faults.ts'
import { findRunning, startEmbedded } from '../server/platform/postgres/embedded.ts'
import { useSecrets } from '../server/secrets.ts'
import { exportStore } from './moving/export-store.ts'
import { importStore } from './moving/import-store.ts'
import { Progress } from './moving/progress.ts'

const connections = 2

const usage =
  'the file is missing: npm run export -- <file> [--store <id>], or npm run import -- <file> [--store <id>]'

/**
 * `export <file>` writes a store into an archive, even while the server runs. `import <file>` reads it into a server
 * that does not run, and whose store is empty.
 */
async function run(args: readonly string[]): Promise<string> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { store: { type: 'string' } },
  })
  const [command, file] = positionals
  if ((command !== 'export' && command !== 'import') || !file || positionals.length > 2) {
    throw new StartupError(usage)
  }
  const config = readConfig()
  const path = resolve(file)
  const progress = new Progress(systemClock, (line) => process.stderr.write(line))
  const opened = await openDatabase(config, command === 'export')
  const blobs = await blobsOf(config)
  try {
    const common = { blobs, clock: systemClock, progress, path, storeId: values.store }
    const [what, ...remarks] =
      command === 'export'
        ? await exportStore({ ...common, url: opened.url })
        : await importInto(config, opened.database, common)
    const done = command === 'export' ? `is exported to ${path}` : `is imported from ${path}`
    return [`The store (${what}) ${done}: ${progress.summary()}.`, ...remarks].join('\n')
  } finally {
    blobs.close()
    await opened.close()
  }
}

async function blobsOf(config: Config) {
  const [bucket, filesDir] = [bucketOf(config), filesDirOf(config)]
  return bucket ? s3Blobs(bucket, filesDir) : diskBlobs(filesDir)
}

interface OpenDatabase {
  readonly database: Database
  readonly url: string
  close(): Promise<void>
}

/**
 * Opens the database of a server for a command: the one at DATABASE_URL, or the one in the data directory, which is
 * started if no server runs on it. `mayRun` says whether a server may run meanwhile.
 */
async function openDatabase(
  { databaseUrl, dataDir }: { readonly databaseUrl: string | undefined; readonly dataDir: string },
  mayRun: boolean,
): Promise<OpenDatabase> {
  const running = databaseUrl ?? (mayRun ? findRunning(dataDir) : undefined)
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
    WHERE datname = current_database() AND application_name = 'sutler' AND pid <> pg_backend_pid()`
  const [row] = await database.run({ text, values: [], once: true })
  if (Number(row?.[0]) > 0) {
    throw new StartupError('a server runs on this database: stop it, and try again')
  }
}

/** A new server has its first start here, so that its first key is known. */
async function importInto(
  config: Config,
  database: Database,
  common: Omit<Parameters<typeof importStore>[0], 'database' | 'jobs'>,
): Promise<readonly string[]> {
  await migrate(database)
  await migrateJobs(database)
  await useSecrets(config, database, systemClock)
  await firstStart(database, config, systemClock, (credentials) => announce(credentials, config))
  return importStore({ ...common, database, jobs: app.flatMap(({ jobs }) => jobs) })
}

try {
  process.stdout.write(`${await run(process.argv.slice(2))}\n`)
} catch (error) {
  const { message, stack, code } = error as NodeJS.ErrnoException
  // Errors of the file system, of the arguments and of PostgreSQL state the reason.
  process.stderr.write(`sutler: ${error instanceof StartupError || code ? message : stack}\n`)
  process.exitCode = 1
}
