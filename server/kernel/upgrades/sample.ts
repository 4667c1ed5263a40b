import type pg from 'pg'
import { lockTimeoutMs } from './apply.ts'

const sampleRows = 5000
const sampleMaxMs = 5000

/** How long it takes to read a table, and to write it with its indexes. */
interface TableSample {
  readonly rows: number
  readonly readS: number
  readonly writeS: number
}

/**
 * Reads some rows of a table, and copies them into a temporary table with the same indexes, in a transaction that is
 * rolled back. The times are scaled to all rows. Triggers are not in it. Undefined if there is no such table.
 */
export async function sampleTable(client: pg.ClientBase, table: string): Promise<TableSample | undefined> {
  const [found] = (
    await client.query(
      `SELECT c.reltuples::float8 AS rows, (SELECT string_agg(format('%I', a.attname), ', ') FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns
      FROM pg_class c WHERE c.oid = to_regclass($1) AND c.relkind IN ('r', 'p')`,
      [table],
    )
  ).rows
  if (!found) return undefined
  await client.query('BEGIN READ WRITE')
  try {
    await client.query(
      `SET LOCAL lock_timeout = ${lockTimeoutMs}; SET LOCAL statement_timeout = ${sampleMaxMs}`,
    )
    // A table that was never analyzed is counted, as far as the time allows.
    const rows: number =
      found.rows >= 0
        ? found.rows
        : (await client.query(`SELECT count(*)::float8 AS rows FROM "${table}"`)).rows[0].rows
    const percent = Math.min(100, (100 * 2 * sampleRows) / Math.max(rows, 1))
    const picked = `(SELECT * FROM "${table}" TABLESAMPLE SYSTEM (${percent}) LIMIT ${sampleRows}) picked`
    const [readMs, read] = await timed(
      client,
      `SELECT count(*)::float8 AS rows, sum(pg_column_size(picked)) FROM ${picked}`,
    )
    const sampled: number = read.rows[0].rows
    if (sampled === 0) return { rows, readS: 0, writeS: 0 }
    await client.query(`CREATE TEMP TABLE upgrade_sample (LIKE "${table}" INCLUDING ALL) ON COMMIT DROP`)
    const [writeMs] = await timed(
      client,
      `INSERT INTO upgrade_sample (${found.columns}) OVERRIDING SYSTEM VALUE SELECT ${found.columns} FROM ${picked}`,
    )
    const scale = rows / sampled / 1000
    return { rows, readS: readMs * scale, writeS: writeMs * scale }
  } finally {
    await client.query('ROLLBACK')
  }
}

async function timed(client: pg.ClientBase, text: string): Promise<[ms: number, result: pg.QueryResult]> {
  const beganMs = performance.now()
  const result = await client.query(text)
  return [performance.now() - beganMs, result]
}
