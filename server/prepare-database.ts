import { announce } from './announce.ts'
import type { Config } from './config.ts'
import { firstStart } from './first-start.ts'
import type { Clock } from './kernel/clock.ts'
import type { Database } from './kernel/storage/database.ts'
import type { OnWait } from './kernel/upgrades/alone.ts'
import { migrate } from './kernel/upgrades/migrate.ts'
import { migrateJobs } from './kernel/work/jobs.ts'
import { useSecrets } from './secrets.ts'

/** Brings the schema of a database to what this version needs. */
export async function migrateAll(database: Database, onWait?: OnWait): Promise<void> {
  await migrate(database, undefined, onWait)
  await migrateJobs(database)
}

/** Gives a new database its first start, for a command that needs a store. */
export async function prepareDatabase(config: Config, database: Database, clock: Clock): Promise<void> {
  await migrateAll(database)
  await useSecrets(config, database, clock)
  await firstStart(database, config, clock, (credentials) => announce(credentials, config))
}
