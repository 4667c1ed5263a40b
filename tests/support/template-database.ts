import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { start } from '../../server/main.ts'
import { startEmbedded } from '../../server/platform/postgres/embedded.ts'
import { citusUrl, makeCitusTemplate, sendingUrl } from './citus.ts'
import { copyDataDirectory } from './copy-data-directory.ts'
import { databaseUrl } from './own-database.ts'
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
  project.provide('dataDirectory', started)
  if (citusUrl) {
    await makeCitusTemplate(citusUrl, async (url) => {
      await (await start(testConfig(url, 'template_world'))).stop()
      await restartFence(url)
    })
    project.provide('postgres', sendingUrl(citusUrl))
    return () => rmSync(scratch, { recursive: true, force: true })
  }
  copyDataDirectory(started, inUse)
  const embedded = await startEmbedded(inUse, runSettings)
  const client = new pg.Client(databaseUrl(embedded.url, 'postgres'))
  await client.connect()
  await client.query('CREATE DATABASE template_world TEMPLATE sutler')
  await restartFence(databaseUrl(embedded.url, 'template_world'))
  project.provide('postgres', embedded.url)
  return async () => {
    // The shared servers of a worker end with it, and leave their files.
    const { rows: left } = await client.query(
      `SELECT datname AS name FROM pg_database WHERE datname LIKE 'own\\_%'`,
    )
    for (const { name } of left) rmSync(filesOf(name), { recursive: true, force: true })
    await client.end()
    await embedded.stop()
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** A server in a test may have a clock that shows the past. */
async function restartFence(url: string): Promise<void> {
  const template = new pg.Client(url)
  await template.connect()
  await template.query('ALTER SEQUENCE time_fence RESTART')
  await template.end()
}
