import type { Database } from '../server/kernel/storage/database.ts'
import { finishMigrations, pauseBackfills } from '../server/kernel/upgrades/finish.ts'
import { appliedMigrations } from '../server/kernel/upgrades/migrations.ts'
import { meanwhile, type PlannedMigration, planMigrations, wayBack } from '../server/kernel/upgrades/plan.ts'
import { migrateAll } from '../server/prepare-database.ts'
import { count, type Progress } from './progress.ts'

/** Applies the migrations of all steps, as far as they can be applied now. */
export async function upgrade(database: Database, progress: Progress, signal: AbortSignal) {
  const before = new Set(await appliedMigrations(database))
  await migrateAll(database)
  const unfinished = await finishMigrations(database, {
    signal,
    onProgress: ({ name, rows, rowsDone, rowsTotal }) =>
      progress.add(rows, 0, name, rowsDone / Math.max(rowsTotal, rowsDone, 1)),
  })
  const applied = await appliedSince(before, database)
  return {
    text: unfinished === undefined ? applied.text : `${applied.text}. Not finished: ${unfinished}.`,
    data: { ...applied.data, unfinished: unfinished ?? null },
    hasFailed: unfinished !== undefined,
  }
}

/** Applies the steps that add; the previous version goes on beside them. */
export async function expand(database: Database) {
  const before = new Set(await appliedMigrations(database))
  await migrateAll(database)
  return appliedSince(before, database)
}

async function appliedSince(before: ReadonlySet<string>, database: Database) {
  const after = await appliedMigrations(database)
  const applied = after.filter((name) => !before.has(name))
  return {
    text: applied.length > 0 ? `Applied ${applied.join(', ')}` : `Nothing to apply (last: ${after.at(-1)})`,
    data: { applied, last: after.at(-1) },
  }
}

export async function pause(database: Database, isPaused: boolean) {
  const backfills = await pauseBackfills(database, isPaused)
  const what = isPaused ? 'Paused' : 'Resumed'
  return {
    text: backfills.length > 0 ? `${what} ${backfills.join(', ')}` : 'No backfill is unfinished',
    data: { backfills, paused: isPaused },
  }
}

export async function describePlan(database: Database) {
  const planned = await planMigrations(database)
  const data = planned.map((one) => ({
    ...{ name: one.name, step: one.step, kind: one.kind, rows: one.rows },
    seconds: Number(one.seconds.toFixed(1)),
    locks: one.tables.map(({ table, lock }) => ({ table, lock })),
    lock_timeout_ms: one.lockTimeoutMs ?? null,
    ...{ meanwhile: meanwhile(one), way_back: wayBack(one) },
  }))
  return {
    text:
      planned.length > 0
        ? planned.map(paragraphOf).join('\n\n')
        : 'Nothing to migrate: the schema is up to date',
    data: { migrations: data },
  }
}

function paragraphOf(one: PlannedMigration): string {
  const timeout =
    one.lockTimeoutMs === undefined
      ? ''
      : ` (each attempt waits ${one.lockTimeoutMs} ms; then requests go on)`
  const locks = one.tables.map(({ table, lock }) => `${lock} on ${table}`).join(', ')
  return [
    `${one.name}: ${one.step}, ${one.kind}`,
    `  locks      ${locks ? `${locks}${timeout}` : 'none of tables that exist'}`,
    `  rows       ${one.rows > 0 ? `about ${count(Math.round(one.rows))}, ${durationOf(one.seconds)}` : 'none'}`,
    `  meanwhile  ${meanwhile(one)}`,
    `  way back   ${wayBack(one)}`,
  ].join('\n')
}

/** From the sample: a guess to a factor of two or so. */
function durationOf(seconds: number): string {
  if (seconds < 1) return 'less than a second'
  return seconds < 120 ? `about ${Math.ceil(seconds)} s` : `about ${Math.ceil(seconds / 60)} min`
}
