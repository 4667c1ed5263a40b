import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '../../server/kernel/storage/embedded.ts'
import { start } from '../../server/main.ts'
import { testConfig } from './world.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The run's PostgreSQL: its database `template_world` is migrated and has one store. */
    postgres: string
  }
}

/** Once for all test files: a real PostgreSQL, and a migrated database that each file clones. */
export default async function setup(project: TestProject) {
  const directory = mkdtempSync(join(tmpdir(), 'sutler-test-'))
  const embedded = await startEmbedded(directory)
  const client = new pg.Client(embedded.url)
  await client.connect()
  await client.query('CREATE DATABASE template_world')
  const server = await start(testConfig(embedded.url, 'template_world'))
  await server.stop()
  await client.end()
  project.provide('postgres', embedded.url)
  return async () => {
    await embedded.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}
