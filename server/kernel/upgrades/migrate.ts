import type pg from 'pg'
import { StartupError } from '../../platform/faults.ts'
import type { Database } from '../storage/database.ts'
import { alone, type OnWait } from './alone.ts'
import { apply } from './apply.ts'
import { type Baseline, baselineIn, isBefore, namesAfter, takeOver } from './baseline.ts'
import { distribute, isDistributed } from './distribute.ts'
import { finishMigrations } from './finish.ts'
import { type Migration, migrationsIn, ownFolder } from './migrations.ts'

const supported = { from: 15, to: 18 }

// `step` came later: see decision 119.
const createTable = `DO $$ BEGIN
  CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL);
  IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'migrations'::regclass AND attname = 'step') THEN
    ALTER TABLE migrations ADD COLUMN step text NOT NULL DEFAULT 'expand';
  END IF;
END $$`

/**
 * Brings the schema to what this version needs: each file that expands, once, in order. Servers of the previous version
 * go on meanwhile. A new database also gets the rest; another one gets it by `finishMigrations`.
 */
export async function migrate(
  database: Database,
  folder: string = ownFolder,
  onWait: OnWait = () => {},
): Promise<void> {
  await mustBeSupported(database)
  const isNew = await alone(database, onWait, async (client) => {
    await client.query(createTable)
    const baseline = await baselineIn(folder)
    const migrations = await migrationsIn(folder)
    const before = await appliedIn(client)
    mustKnow(before, migrations, baseline)
    const names = before.map(({ name }) => name)
    await takeOver(client, baseline, names)
    const applied = new Set(namesAfter(baseline, names))
    for (const migration of migrations) {
      if (migration.step !== 'expand' || applied.has(migration.name)) continue
      onWait(`applies the migration ${migration.name}`)
      await apply(client, migration)
    }
    if (await isDistributed(client)) {
      onWait('distributes what the migrations have created')
      await distribute(client)
    }
    return before.length === 0
  })
  if (isNew) await finishMigrations(database, { folder })
}

async function mustBeSupported(database: Database): Promise<void> {
  const [version] = await database.run({ text: 'SHOW server_version_num', values: [] })
  const major = Math.floor(Number(version?.[0]) / 10_000)
  if (major < supported.from || major > supported.to) {
    throw new StartupError(`PostgreSQL ${major} is not supported: use ${supported.from} to ${supported.to}.`)
  }
}

/** A newer version may have expanded the schema. What it has removed is missing here. */
function mustKnow(
  applied: readonly Pick<Migration, 'name' | 'step'>[],
  migrations: readonly Migration[],
  baseline: Baseline,
): void {
  const known = new Set(migrations.map(({ name }) => name))
  const tooNew = applied.find(
    ({ name, step }) => step === 'contract' && !known.has(name) && !isBefore(baseline, name),
  )
  if (tooNew)
    throw new StartupError(
      `The database was migrated by a newer version of Sutler (${tooNew.name}): start that version.`,
    )
}

const appliedIn = async (client: pg.ClientBase) =>
  (await client.query<Pick<Migration, 'name' | 'step'>>('SELECT name, step FROM migrations ORDER BY name'))
    .rows
