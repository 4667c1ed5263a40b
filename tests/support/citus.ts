import pg from 'pg'
import { distribute } from '../../server/kernel/upgrades/distribute.ts'
import { databaseUrl } from './own-database.ts'

/**
 * The PostgreSQL with Citus that SUTLER_TEST_CITUS_URL names, for the databases of a test run in place of an own one:
 * one node that holds shards. Each test file runs on a distributed schema, whose statements are planned as for others'
 * nodes. The user of the URL is a superuser, and the databases of earlier runs are dropped.
 */
export const citusUrl = process.env.SUTLER_TEST_CITUS_URL || undefined

/** Few, so that it takes a second to clone a database. */
const shards = 2

/** The same URL, for sessions that send every statement to its node, also where that is the same. */
export const sendingUrl = (url: string): string => `${url}?options=-c%20citus.enable_local_execution%3Doff`

/** Makes the template of the run: an empty database with Citus, that `fill` migrates. */
export async function makeCitusTemplate(url: string, fill: (url: string) => Promise<void>): Promise<void> {
  await onDatabase(databaseUrl(url, 'postgres'), async (root) => {
    const { rows } = await root.query(
      `SELECT datname AS name FROM pg_database WHERE datname LIKE 'own\\_%' OR datname = 'template_world'`,
    )
    for (const { name } of rows) await root.query(`DROP DATABASE ${name} WITH (FORCE)`)
    await root.query('CREATE DATABASE template_world')
  })
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
  await onDatabase(databaseUrl(url, 'postgres'), async (root) => {
    await root.query('ALTER DATABASE template_world ALLOW_CONNECTIONS false')
    await root.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'template_world'`,
    )
  })
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
