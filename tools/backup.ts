import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { bucketOf, filesDirOf, readConfig } from '../server/config.ts'
import { systemClock } from '../server/kernel/clock.ts'
import { StartupError } from '../server/platform/faults.ts'
import { backUp, restore } from '../server/platform/postgres/backup.ts'

/**
 * `backup <directory>` copies the data directory there, even while the server runs. `restore <directory>` copies it
 * back.
 */
async function run(command: string | undefined, path: string | undefined): Promise<string> {
  const config = readConfig()
  const { databaseUrl, dataDir } = config
  if ((command !== 'backup' && command !== 'restore') || !path) {
    throw new StartupError(
      'the directory is missing: npm run backup -- <directory>, or npm run restore -- <directory>',
    )
  }
  if (databaseUrl) {
    throw new StartupError(
      'DATABASE_URL is set: back up and restore that PostgreSQL with its own tools (pg_dump)',
    )
  }
  const directory = resolve(path)
  if (command === 'backup') await backUp(dataDir, directory, systemClock.now())
  else restore(directory, dataDir)
  const secret = existsSync(join(directory, 'secret'))
    ? ''
    : ' (without the secret: keep SUTLER_SECRET separately)'
  const more = secret + filesElsewhere(config)
  return command === 'backup'
    ? `${dataDir} is backed up to ${directory}${more}`
    : `${dataDir} is restored from ${directory}: start it with npm start${more}`
}

/** Uploaded files are in the data directory, unless a setting says otherwise. */
function filesElsewhere(config: ReturnType<typeof readConfig>): string {
  const [bucket, filesDir] = [bucketOf(config), filesDirOf(config)]
  const within = relative(config.dataDir, filesDir)
  if (!bucket && within && !within.startsWith('..')) return ''
  const where = bucket ? `the bucket ${bucket.name}` : filesDir
  return ` (without uploaded files: back up ${where} separately)`
}

const [command, path] = process.argv.slice(2)
try {
  process.stdout.write(`${await run(command, path)}\n`)
} catch (error) {
  const { message, stack, code } = error as NodeJS.ErrnoException
  // Errors of the file system and of PostgreSQL state the reason.
  process.stderr.write(`sutler: ${error instanceof StartupError || code ? message : stack}\n`)
  process.exitCode = 1
}
