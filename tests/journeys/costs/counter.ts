import { until } from '../../support/until.ts'
import type { World } from '../../support/world.ts'
import type { Act } from './act.ts'

/** What PostgreSQL did for an act. Times are not in it: a count is the same on any machine, however busy. */
export interface Cost {
  /** What the server sent, BEGIN and COMMIT among them. */
  readonly statements: number
  /** How often PostgreSQL planned one. Not of jobs, which run on any connection. */
  readonly plans?: number
  /** How many of the statements read prices. */
  readonly priced: number
  /** How many rows were written in which table: inserted, updated and deleted, by triggers too. */
  readonly rows: Readonly<Record<string, number>>
  readonly walRecords: number
  /** Without images of whole pages, which depend on the last checkpoint. */
  readonly walBytes: number
}

/** The settings of a PostgreSQL that counts. */
export const counting = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_planning': 'on',
  full_page_writes: 'off',
  wal_compression: 'off',
  // What cleans up comes at any time.
  autovacuum: 'off',
  checkpoint_timeout: '1h',
} as const

/** PostgreSQL plans a statement for its values five times before it may keep a plan. */
const warmRuns = 6
const runs = 3

const waiting = 'waits for the end of an act'

/**
 * Statements of the process itself, which come at any time: it gives changes their positions, learns the watermark,
 * looks for jobs and for keys that were deleted, and records who has read what.
 */
const background = [
  waiting,
  'pg_stat_statements',
  'sequence_stores|stores_with_fresh_changes|ask_nodes',
  'FROM application_keys',
  'graphile_worker".(_private_|get_job|complete_job|fail_job|reset)',
  'personal_data_reads',
].join('|')

/** Tables that only the process itself writes: its transactions are not those of an act. */
const backgroundTables = '^(changes_.*|feeds|feed_readers|list_blocks|personal_data_reads|processes)$'

const statementsSql = `
  SELECT coalesce(sum(calls), 0)::int AS statements,
    coalesce(sum(plans), 0)::int AS plans,
    coalesce(sum(calls) FILTER (WHERE query ~ 'published_prices|product_prices'), 0)::int AS priced
  FROM pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND query !~ $1`

const walSql = `
  WITH tables AS MATERIALIZED (
    SELECT pg_relation_filenode(oid)::text AS filenode, relname FROM pg_class WHERE relkind = 'r'
  ), record AS MATERIALIZED (
    SELECT w.xid, w.resource_manager || ' ' || w.record_type AS kind, w.record_length - w.fpi_length AS bytes,
      coalesce(substring(w.description FROM 'ntuples: (\\d+)')::int, 1) AS tuples, t.relname AS written
    FROM pg_get_wal_records_info($1, $2) w
    LEFT JOIN tables t ON t.filenode = substring(w.block_ref FROM 'rel \\d+/\\d+/(\\d+)')
    WHERE w.xid <> '0'
  ), act AS MATERIALIZED (
    SELECT * FROM record WHERE xid NOT IN (SELECT xid FROM record WHERE written ~ $3)
      AND xid IN (SELECT xid FROM record WHERE written IS NOT NULL AND written !~ '^_private_')
  ), changed AS (
    SELECT written, sum(tuples) AS rows FROM act
    WHERE written IS NOT NULL AND kind ~ '^Heap2? (MULTI_INSERT|INSERT|UPDATE|HOT_UPDATE|DELETE)' GROUP BY written
  )
  SELECT (SELECT coalesce(json_object_agg(written, rows ORDER BY written), '{}') FROM changed) AS rows,
    count(*)::int AS "walRecords", coalesce(sum(bytes), 0)::int AS "walBytes" FROM act`

/** Counts what PostgreSQL does for acts on a world that has a PostgreSQL of its own. */
export async function counterOf({ sql }: World) {
  await sql('CREATE EXTENSION pg_stat_statements')
  await sql('CREATE EXTENSION pg_walinspect')
  await sql('ANALYZE')
  /** The position after a commit: what is not on the disk yet cannot be read. */
  async function position(): Promise<string> {
    await sql(`SELECT /* ${waiting} */ pg_logical_emit_message(true, 'costs', '')`)
    return (await sql(`SELECT /* ${waiting} */ pg_current_wal_flush_lsn() AS at`)).rows[0].at
  }

  async function once(act: () => Promise<unknown>): Promise<Cost> {
    const from = await position()
    await sql('SELECT pg_stat_statements_reset()')
    await act()
    const to = await position()
    const { rows: statements } = await sql(statementsSql, [background])
    const { rows: written } = await sql(walSql, [from, to, backgroundTables])
    return { ...statements[0], ...written[0] }
  }

  return {
    /** The act's own cost: what else happens meanwhile only adds to it, so the least of some runs is without. */
    async costOf({ ready, run, tidy, hasJobs }: Act): Promise<Cost> {
      const costs: Cost[] = []
      for (let i = 0; i < warmRuns + runs; i++) {
        const made = await ready?.()
        const cost = await once(() => run(made))
        await tidy?.(made)
        if (i >= warmRuns) costs.push(cost)
      }
      const least = (of: (cost: Cost) => number) => Math.min(...costs.map(of))
      const fewest = costs.toSorted((one, other) => rowsIn(one) - rowsIn(other))[0] as Cost
      return {
        statements: least(({ statements }) => statements),
        ...(!hasJobs && { plans: least(({ plans }) => plans as number) }),
        priced: least(({ priced }) => priced),
        rows: fewest.rows,
        walRecords: least(({ walRecords }) => walRecords),
        walBytes: least(({ walBytes }) => walBytes),
      }
    },
  }
}

const rowsIn = ({ rows }: Cost) => Object.values(rows).reduce((sum, n) => sum + n, 0)

/** Waits until a query says true, at a cost that is not counted. */
export const waitFor = ({ sql }: World, query: string, ...values: unknown[]) =>
  until(async () => {
    const { rows } = await sql(`SELECT /* ${waiting} */ (${query}) AS is_so`, values)
    return rows[0]?.is_so || undefined
  })
