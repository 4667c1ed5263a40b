import pg from 'pg'
import { mergeTotals } from '../server/kernel/query/merge-totals.ts'
import type { Instance } from '../server/kernel/work/context.ts'
import type { OwnServer } from './own-server.ts'

const perStatement = 50_000

/** A list whose rows are copied, as `list_totals` has it, with the SQL of what it is the list of. */
export interface CopiedList {
  readonly table: string
  readonly name: string
  readonly scope: string
}

/**
 * Copies rows by SQL without their triggers, and counts them as the triggers would have. `texts` are statements that
 * begin with `INSERT`; each reads `numbers` (`i`, a new `id`, and an instant `t`), and has the parameters `values`.
 */
export async function copyRows(
  { databaseUrl, database }: OwnServer,
  rows: number,
  texts: readonly string[],
  values: readonly unknown[],
  lists: readonly CopiedList[],
): Promise<void> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    await client.query("SET session_replication_role = 'replica'")
    const rebuild = await dropIndexes(client, [...new Set(lists.map(({ table }) => table))])
    await client.query(
      'CREATE TEMP TABLE numbers (i integer PRIMARY KEY, id uuid NOT NULL, t timestamptz(3) NOT NULL)',
    )
    for (let from = 1; from <= rows; from += perStatement) {
      await client.query('TRUNCATE numbers')
      await client.query(
        `INSERT INTO numbers SELECT i, gen_random_uuid(), now() - (i % 100000) * interval '5 s'
         FROM generate_series($1::int, $2::int) i`,
        [from, Math.min(rows, from + perStatement - 1)],
      )
      await client.query('ANALYZE numbers')
      for (const text of texts) await client.query(text, [...values])
    }
    await rebuild()
    for (const list of lists) await client.query(totalsOf(list))
  } finally {
    await client.end()
  }
  await mergeTotals.run({ database } as Instance)
}

/** Drops the indexes that are no constraint, since to build them afterwards takes a fraction of the time. */
async function dropIndexes(client: pg.Client, tables: readonly string[]): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ name: string; text: string }>(
    `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS text
     FROM pg_index i WHERE i.indrelid = ANY ($1::text[]::regclass[]) AND NOT i.indisunique`,
    [tables],
  )
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`)
  return async () => {
    await client.query("SET maintenance_work_mem = '512MB'")
    for (const { text } of rows) await client.query(text)
  }
}

/** Writes the counter of a list, and a delta of zero, so that the next merge creates its blocks. */
const totalsOf = ({ table, name, scope }: CopiedList) => `WITH counted AS (
    SELECT store_id, ${scope} AS scope, count(*) AS n FROM ${table} GROUP BY 1, 2
  ), gone AS (
    DELETE FROM list_deltas d USING counted c WHERE d.list = '${name}' AND (d.store_id, d.scope) = (c.store_id, c.scope)
  ), kept AS (
    INSERT INTO list_totals (list, store_id, scope, n) SELECT '${name}', store_id, scope, n FROM counted
    ON CONFLICT (store_id, list, scope) DO UPDATE SET n = excluded.n
  )
  INSERT INTO list_deltas SELECT '${name}', store_id, scope, '-infinity', scope, 0, '-infinity' FROM counted`
