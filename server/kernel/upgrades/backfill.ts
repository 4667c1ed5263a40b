import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { record, withLocks } from './apply.ts'
import type { Migration } from './migrations.ts'

/** A portion takes about this long, so that no request waits longer for its rows. */
const portionMs = 100
const rowsOfPortion = { first: 500, min: 20, max: 20_000 }
const retryAfterMs = { min: 50, max: 1000 }

/** How far a backfill is. `rowsTotal` is PostgreSQL's estimate. */
export interface BackfillProgress {
  readonly name: string
  readonly rows: number
  readonly rowsDone: number
  readonly rowsTotal: number
}

interface BackfillOptions {
  /** Ends the backfill between two portions. */
  readonly signal?: AbortSignal | undefined
  /** Rests as long as it works, for the requests of the shop. */
  readonly isGentle: boolean
  readonly onProgress: (progress: BackfillProgress) => void
}

/**
 * Walks a table in the order of its primary key, and runs the statement of the file for one portion after the other:
 * `:portion` in it is a condition on the rows of the table. Its position is stored with each portion. Returns whether
 * it has reached the end.
 */
export async function backfill(
  client: pg.ClientBase,
  migration: Migration,
  { signal, isGentle, onProgress }: BackfillOptions,
): Promise<boolean> {
  const { name, table } = migration
  const key = await keyOf(client, table)
  await client.query('INSERT INTO backfills (name) VALUES ($1) ON CONFLICT DO NOTHING', [name])
  let size = rowsOfPortion.first
  for (;;) {
    if (signal?.aborted) return false
    const beganMs = performance.now()
    const portion = await withLocks(
      client,
      name,
      () => runPortion(client, migration, key, size),
      retryAfterMs,
    )
    if (portion.isPaused) return false
    onProgress({ name, ...portion })
    if (portion.isLast) return true
    const tookMs = performance.now() - beganMs
    if (tookMs < portionMs / 2) size = Math.min(2 * size, rowsOfPortion.max)
    if (tookMs > 2 * portionMs) size = Math.max(Math.floor(size / 2), rowsOfPortion.min)
    if (isGentle) await sleep(tookMs, undefined, { signal }).catch(() => {})
  }
}

/** A column of the primary key, with its type. */
interface KeyPart {
  readonly name: string
  readonly type: string
}

async function runPortion(
  client: pg.ClientBase,
  { name, step, sql, table }: Migration,
  key: readonly KeyPart[],
  size: number,
) {
  const [state] = (
    await client.query(
      `SELECT position, rows_done::float8 AS done, is_paused AS paused,
        (SELECT greatest(reltuples, 0) FROM pg_class WHERE oid = $2::regclass) AS total
      FROM backfills WHERE name = $1 FOR UPDATE`,
      [name, table],
    )
  ).rows
  const numbers = { rowsDone: state.done as number, rowsTotal: state.total as number }
  if (state.paused) return { ...numbers, rows: 0, isPaused: true, isLast: false }
  const columns = key.map((column) => `"${table}"."${column.name}"`).join(', ')
  const bound = (parameter: number) =>
    `(${key.map(({ type }, i) => `($${parameter}::text[])[${i + 1}]::${type}`).join(', ')})`
  const from: string[] | null = state.position
  const after = from === null ? 'TRUE' : `(${columns}) > ${bound(1)}`
  const values = from === null ? [] : [from]
  const asText = key.map((column) => `"${table}"."${column.name}"::text`).join(', ')
  const [next] = (
    await client.query(
      `WITH portion AS (
        SELECT ARRAY[${asText}] AS key, row_number() OVER (ORDER BY ${columns}) AS place
        FROM "${table}" WHERE ${after} ORDER BY ${columns} LIMIT ${size}
      )
      SELECT (SELECT count(*)::float8 FROM portion) AS rows,
        (SELECT key FROM portion ORDER BY place DESC LIMIT 1) AS last`,
      values,
    )
  ).rows
  const isLast = next.rows < size
  if (next.rows > 0) {
    const upTo = `(${columns}) <= ${bound(values.length + 1)}`
    await client.query(sql.replaceAll(':portion', `(${after} AND ${upTo})`), [...values, next.last])
  }
  await client.query(
    'UPDATE backfills SET position = coalesce($2, position), rows_done = rows_done + $3 WHERE name = $1',
    [name, next.last, next.rows],
  )
  if (isLast) await record(client, name, step)
  return {
    ...numbers,
    rows: next.rows as number,
    rowsDone: numbers.rowsDone + next.rows,
    isPaused: false,
    isLast,
  }
}

async function keyOf(client: pg.ClientBase, table: string): Promise<readonly KeyPart[]> {
  const { rows } = await client.query<KeyPart>(
    `SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type
    FROM pg_index i CROSS JOIN unnest(i.indkey) WITH ORDINALITY AS k(attnum, place)
      JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
    WHERE i.indrelid = $1::regclass AND i.indisprimary ORDER BY k.place`,
    [table],
  )
  return rows
}
