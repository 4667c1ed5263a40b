import type pg from 'pg'
import type { Database } from '../storage/database.ts'
import { concurrentIndexIn, lockTimeoutMs } from './apply.ts'
import { type Migration, type MigrationStep, pendingMigrations } from './migrations.ts'
import { sampleTable } from './sample.ts'
import { type EffectKind, effectsOf, type LockMode, lockModes, type StatementEffect } from './statements.ts'

/** The kinds from the cheapest to the one that nobody knows. */
const kinds: readonly EffectKind[] = [
  ...(['instant', 'index concurrently', 'backfill', 'scan', 'rewrite', 'unknown'] as const),
]

/** A table that a migration works on. */
interface PlannedTable {
  readonly table: string
  readonly kind: EffectKind
  readonly lock: LockMode
  /** PostgreSQL's estimate. */
  readonly rows: number
  /** From a sample of its rows, copied just now. */
  readonly seconds: number
}

/** What a migration will do to this database. */
export interface PlannedMigration {
  readonly name: string
  readonly step: MigrationStep
  readonly kind: EffectKind
  readonly tables: readonly PlannedTable[]
  /** How long it waits for a lock at a time; undefined for one that blocks no requests. */
  readonly lockTimeoutMs: number | undefined
  readonly rows: number
  readonly seconds: number
}

/** Plans the migrations that the database has yet to get. It changes nothing. */
export async function planMigrations(
  database: Database,
  folder?: string,
): Promise<readonly PlannedMigration[]> {
  const client = await database.sessions.connect()
  try {
    const planned: PlannedMigration[] = []
    for (const migration of await pendingMigrations(database, folder))
      planned.push(await plan(client, migration))
    return planned
  } finally {
    client.release()
  }
}

async function plan(client: pg.ClientBase, migration: Migration): Promise<PlannedMigration> {
  const { name, step, sql, table } = migration
  const effects: readonly StatementEffect[] =
    step === 'backfill' ? [{ kind: 'backfill', table, lock: 'ROW EXCLUSIVE' }] : effectsOf(sql)
  const tables: PlannedTable[] = []
  for (const [named, own] of Map.groupBy(effects, (effect) => effect.table)) {
    const sample = named === '' ? undefined : await sampleTable(client, named)
    // A table that does not exist yet has no rows, and nobody waits for it.
    if (!sample) continue
    const strongest = Math.max(...own.map(({ lock }) => lockModes.indexOf(lock ?? 'ROW EXCLUSIVE')))
    const seconds = own.reduce((sum, { kind }) => sum + secondsOf(kind, sample), 0)
    const lock = lockModes[strongest] ?? 'ROW EXCLUSIVE'
    tables.push({ table: named, kind: worst(own), lock, rows: sample.rows, seconds })
  }
  const unknown = effects.filter(({ kind }) => kind === 'unknown')
  return {
    ...{ name, step, tables },
    kind: worst([...tables, ...unknown]),
    lockTimeoutMs: concurrentIndexIn(sql) ? undefined : lockTimeoutMs,
    rows: tables.filter(({ kind }) => kind !== 'instant').reduce((sum, { rows }) => sum + rows, 0),
    seconds: tables.reduce((sum, { seconds }) => sum + seconds, 0),
  }
}

const worst = (effects: readonly { readonly kind: EffectKind }[]): EffectKind =>
  kinds[Math.max(0, ...effects.map(({ kind }) => kinds.indexOf(kind)))] ?? 'unknown'

function secondsOf(kind: EffectKind, { readS, writeS }: { readonly readS: number; readonly writeS: number }) {
  if (kind === 'instant') return 0
  return kind === 'scan' ? readS : writeS
}

/** What requests of the servers that run meanwhile see. */
export function meanwhile({ tables, kind }: PlannedMigration): string {
  const waits = tables.flatMap(({ table, kind: own, lock }) => {
    const isShort = own === 'instant'
    if (lock === 'ACCESS EXCLUSIVE')
      return [`all requests for ${table} wait${isShort ? ' for an instant' : ''}`]
    if (lock === 'SHARE' || lock === 'SHARE ROW EXCLUSIVE')
      return [`writes to ${table} wait${isShort ? ' for an instant' : ''}`]
    if (own === 'rewrite') return [`writes to the same rows of ${table} wait`]
    return own === 'backfill' ? [`writes to the rows of a portion of ${table} wait for about 0.1 s`] : []
  })
  if (kind === 'unknown') waits.push('read the file: it has statements that this plan does not know')
  return waits.join('; ') || 'nothing'
}

/** Whether the previous version can come back after it. */
export const wayBack = ({ step }: PlannedMigration): string =>
  step === 'contract'
    ? 'none: only a backup brings the previous version back'
    : 'the previous version serves this schema, until a contract step'
