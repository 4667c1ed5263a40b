import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { start } from '../../server/main.ts'
import { type EmbeddedPostgres, startEmbedded } from '../../server/platform/postgres/embedded.ts'
import { makeCitusTemplate } from './citus.ts'
import { citusUrl } from './citus-url.ts'
import { copyDataDirectory } from './copy-data-directory.ts'
import { databaseUrl } from './own-database.ts'
import { findPooler, type Pooler, startPooler } from './pooler.ts'
import { filesOf, secret, testConfig } from './world.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The run's PostgreSQL: its database `template_world` is migrated and has one store. */
    postgres: string
    /** A data directory after its first start. Tests only copy it. */
    dataDirectory: string
  }
}

/** The run's PostgreSQL never crashes: the tests that kill one start their own, with the settings of every server. */
const runSettings = {
  // Each worker has two shared servers, and one that a file has for itself.
  max_connections: 1000,
  fsync: 'off',
  full_page_writes: 'off',
  // To pack pages takes longer than writing them, in memory and when a database is cloned.
  wal_compression: 'off',
  // Each visit is a process, and there are many databases.
  autovacuum_naptime: '1min',
} as const

/**
 * Once for all test files: the first start. A data directory as it leaves it, a real PostgreSQL on a copy of it, and
 * there a migrated database that each server clones.
 */
export default async function setup(project: TestProject) {
  const scratch = mkdtempSync(join(tmpdir(), 'sutler-test-'))
  const [started, inUse] = [join(scratch, 'started'), join(scratch, 'in-use')]
  mkdirSync(started)
  writeFileSync(join(started, 'secret'), `${secret}\n`, { mode: 0o600 })
  const server = await start(
    testConfig('', '', { DATABASE_URL: '', SUTLER_DATA_DIR: started, SUTLER_FILES_DIR: '' }),
  )
  await server.stop()
  // In a fresh clone the workers read what this process has compiled of the server.
  flushCompileCache()
  project.provide('dataDirectory', started)
  if (citusUrl) {
    const end = await makeCitusTemplate(citusUrl, async (url) => {
      await (await start(testConfig(url, 'template_world'))).stop()
      await restartFence(url)
    })
    project.provide('postgres', citusUrl)
    return async () => {
      await end()
      rmSync(scratch, { recursive: true, force: true })
    }
  }
  copyDataDirectory(started, inUse)
  const embedded = await startEmbedded(inUse, runSettings)
  const client = new pg.Client(databaseUrl(embedded.url, 'postgres'))
  await client.connect()
  await client.query('CREATE DATABASE template_world TEMPLATE sutler')
  await restartFence(databaseUrl(embedded.url, 'template_world'))
  const pooler = process.env.SUTLER_TEST_POOLED ? await poolerBefore(embedded.url) : undefined
  const standby = process.env.SUTLER_TEST_REPLICATED
    ? await standbyOf(embedded.url, scratch, started)
    : undefined
  project.provide('postgres', embedded.url)
  return async () => {
    // The shared servers of a worker end with it, and leave their files.
    const { rows: left } = await client.query(
      `SELECT datname AS name FROM pg_database WHERE datname LIKE 'own\\_%'`,
    )
    for (const { name } of left) rmSync(filesOf(name), { recursive: true, force: true })
    await client.end()
    await pooler?.stop()
    await standby?.stop()
    await embedded.stop()
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** With SUTLER_TEST_POOLED all shared servers reach their databases through a pgbouncer: see `wayTo`. */
async function poolerBefore(postgres: string): Promise<Pooler> {
  const program = findPooler()
  if (!program)
    throw new Error('SUTLER_TEST_POOLED needs a pgbouncer of 1.21 or newer (SUTLER_TEST_PGBOUNCER)')
  const pooler = await startPooler(program, postgres)
  process.env.SUTLER_TEST_POOLER = `${pooler.urlOf('any')} ${postgres.slice(postgres.indexOf('?'))}`
  return pooler
}

/** With SUTLER_TEST_REPLICATED all shared servers read from a standby: see `wayTo`. */
async function standbyOf(postgres: string, scratch: string, started: string): Promise<EmbeddedPostgres> {
  const home = join(scratch, 'standby')
  copyDataDirectory(started, home)
  writeFileSync(join(home, 'postgres', 'standby.signal'), '')
  const sockets = new URL(postgres.replace('@/', '@x/')).searchParams.get('host')
  const standby = await startEmbedded(home, {
    ...{ ...runSettings, hot_standby_feedback: 'on' },
    primary_conninfo: `host=${sockets} user=sutler`,
  })
  process.env.SUTLER_TEST_STANDBY = `${standby.url} ${postgres.slice(postgres.indexOf('?'))}`
  return standby
}

/** A server in a test may have a clock that shows the past. */
async function restartFence(url: string): Promise<void> {
  const template = new pg.Client(url)
  await template.connect()
  await template.query('ALTER SEQUENCE time_fence RESTART')
  await template.end()
}
