import type pg from 'pg'
import { type DistributionStep, planDistribution } from './distribution.ts'

const createTable = `CREATE TABLE IF NOT EXISTS distribution_steps (
  place integer PRIMARY KEY, what text NOT NULL, sql text NOT NULL)`

/**
 * Whether tables are distributed, or someone has begun to distribute them: then migrations go on with it. A dump of
 * such a database that was restored without Citus is neither.
 */
export async function isDistributed(client: Pick<pg.ClientBase, 'query'>): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT to_regclass('distribution_steps') IS NOT NULL AND to_regclass('pg_dist_node') IS NOT NULL AS is`,
  )
  return rows[0].is
}

interface DistributeOptions {
  /** How many shards each table gets: so many nodes can share the stores. */
  readonly shards?: number | undefined
  readonly signal?: AbortSignal | undefined
  readonly onStep?: (what: string, share: number) => void
}

/**
 * Distributes the tables that are not yet distributed. What is to be done is stored before any of it is done, and each
 * step goes with what says so: if the process is killed, the next call goes on where it ended. Returns whether nothing
 * is left. `client` has the lock of migrations.
 */
export async function distribute(
  client: pg.ClientBase,
  { shards, signal, onStep = () => {} }: DistributeOptions = {},
): Promise<boolean> {
  await client.query(createTable)
  if (shards !== undefined) await client.query(`SET citus.shard_count = ${shards}`)
  // Citus says what it copies.
  await client.query('SET client_min_messages = warning')
  try {
    // What another version has left, and then what a migration has created since.
    for (;;) {
      if (!(await runSteps(client, signal, onStep))) return false
      const { steps } = await planDistribution(client, true)
      if (!steps.length) return true
      await storeSteps(client, steps)
    }
  } finally {
    await client.query('RESET client_min_messages; RESET citus.shard_count').catch(() => {})
  }
}

/** What is left of a distribution that was interrupted. */
export async function unfinishedSteps(client: Pick<pg.ClientBase, 'query'>): Promise<readonly string[]> {
  if (!(await isDistributed(client))) return []
  const { rows } = await client.query('SELECT what FROM distribution_steps ORDER BY place')
  return rows.map(({ what }) => what)
}

const storeSteps = (client: pg.ClientBase, steps: readonly DistributionStep[]) =>
  client.query(
    `INSERT INTO distribution_steps SELECT place, what, sql
     FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS s (what, sql, place)`,
    [steps.map(({ what }) => what), steps.map(({ sql }) => sql)],
  )

async function runSteps(
  client: pg.ClientBase,
  signal: AbortSignal | undefined,
  onStep: (what: string, share: number) => void,
): Promise<boolean> {
  const { rows } = await client.query('SELECT place, what, sql FROM distribution_steps ORDER BY place')
  for (const [i, { place, what, sql }] of rows.entries()) {
    if (signal?.aborted) return false
    onStep(what, i / rows.length)
    await client.query('BEGIN')
    try {
      await client.query(sql)
      await client.query('DELETE FROM distribution_steps WHERE place = $1', [place])
      await client.query('COMMIT')
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {})
      throw new Error(`${what}: ${(error as Error).message}`, { cause: error })
    }
  }
  return true
}
