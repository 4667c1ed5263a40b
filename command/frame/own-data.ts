import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { bucketOf, type Config, filesDirOf, readConfig } from '../../server/config.ts'
import { StartupRefusal } from '../../server/platform/faults.ts'

/** The settings of a server with the PostgreSQL that comes along: only its data directory has all there is. */
export function ownDataDirectory(): Config {
  const config = readConfig()
  if (config.databaseUrl) {
    throw new StartupRefusal(
      'DATABASE_URL is set: back up and restore that PostgreSQL with its own tools (pg_dump)',
    )
  }
  return config
}

/** What a backup does not have, and what programs read about it. */
export function describeBackup(config: Config, directory: string) {
  const hasSecret = existsSync(join(directory, 'secret'))
  const elsewhere = filesElsewhere(config)
  return {
    remarks: [
      hasSecret ? '' : ' (without the secret: keep SUTLER_SECRET separately)',
      elsewhere === undefined ? '' : ` (without uploaded files: back up ${elsewhere} separately)`,
    ].join(''),
    data: {
      ...{ data_directory: config.dataDir, backup: directory, has_secret: hasSecret },
      files_elsewhere: elsewhere ?? null,
    },
  }
}

/** Uploaded files are in the data directory, unless a setting says otherwise. */
function filesElsewhere(config: Config): string | undefined {
  const [bucket, filesDir] = [bucketOf(config), filesDirOf(config)]
  if (bucket) return `the bucket ${bucket.name}`
  const within = relative(config.dataDir, filesDir)
  return within && !within.startsWith('..') ? undefined : filesDir
}
