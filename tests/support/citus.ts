import pg from 'pg'
import { distribute } from '../../server/kernel/upgrades/distribute.ts'
import { databaseUrl } from './own-database.ts'

/** Few, so that it takes a second to clone a database. */
const shards = 2

/** Each statement of a server has a session at the coordinator, and one at the node. */
const connectionsMin = 1000

/**
 * Makes the template of the run: an empty database with Citus, that `fill` migrates. Returns what ends the run there.
 */
export async function makeCitusTemplate(
  url: string,
  fill: (url: string) => Promise<void>,
): Promise<() => Promise<void>> {
  const root = new pg.Client(databaseUrl(url, 'postgres'))
  await root.connect()
  const { rows } = await root.query(
    `SELECT pg_try_advisory_lock(hashtext('tests of Sutler')) AS "isFree", current_setting('max_connections')::int AS most`,
  )
  if (!rows[0].isFree)
    throw new Error('Another run of the tests uses the PostgreSQL of SUTLER_TEST_CITUS_URL')
  if (rows[0].most < connectionsMin)
    throw new Error(
      `max_connections is ${rows[0].most} at SUTLER_TEST_CITUS_URL: set it to ${connectionsMin}`,
    )
  await dropDatabases(root)
  await root.query('CREATE DATABASE template_world')
  const template = databaseUrl(url, 'template_world')
  const { hostname, port } = new URL(url)
  await onDatabase(template, async (client) => {
    await client.query('CREATE EXTENSION citus')
    await client.query('SELECT citus_set_coordinator_host($1, $2)', [hostname, Number(port || 5432)])
    await client.query(`SELECT citus_set_node_property($1, $2, 'shouldhaveshards', true)`, [
      hostname,
      Number(port || 5432),
    ])
  })
  await fill(template)
  await distributeTests(template)
  // Citus' own workers of the database are sessions too, and nobody can clone one with sessions.
  await root.query('ALTER DATABASE template_world ALLOW_CONNECTIONS false')
  await root.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'template_world'`)
  return async () => {
    await dropDatabases(root)
    await root.end()
  }
}

/** Those of the shared servers, which end with their worker. */
async function dropDatabases(root: pg.Client): Promise<void> {
  const { rows } = await root.query(
    `SELECT datname AS name FROM pg_database WHERE datname LIKE 'own\\_%' OR datname = 'template_world'`,
  )
  for (const { name } of rows) await root.query(`DROP DATABASE ${name} WITH (FORCE)`)
}

/** Distributes the tables that a test has made. */
export const distributeTests = (url: string): Promise<void> =>
  onDatabase(url, async (client) => {
    await distribute(client, { shards })
  })

async function onDatabase(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
