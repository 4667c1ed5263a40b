import { existsSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { findRunning } from '../../../server/platform/postgres/embedded.ts'
import { adminOf, key, serve, startedDirectory, stopAfterEach } from '../../support/process.ts'

stopAfterEach()

// A write to it fails as on a full disk. Only Linux has it.
const full = '/dev/full'

test.skipIf(!existsSync(full))(
  'a full disk is reported',
  async () => {
    const directory = startedDirectory()
    const server = serve(directory, { ...key, LOG_LEVEL: 'info' })
    const admin = await adminOf(await server.ready)
    const client = new pg.Client(findRunning(directory) as string)
    await client.connect()
    const { rows } = await client.query(`SELECT pg_relation_filepath('account_tags') AS path`)
    await client.end()
    const file = join(directory, 'postgres', rows[0].path)
    rmSync(file)
    symlinkSync(full, file)

    const tag = (name: string) => admin.post('/v2/account-tags', { data: { type: 'account_tag', name } })
    const detail = 'The database has no disk space left.'
    for (const name of ['a', 'b', 'c']) {
      const { status, body } = await tag(name)
      expect([status, body.errors[0].code, body.errors[0].detail]).toEqual([503, 'unavailable', detail])
    }
    const ready = await admin.get('/readyz')
    expect([ready.status, ready.body.status]).toEqual([503, 'the database has no disk space left'])
    // Requests that need no space still work.
    expect((await admin.get('/v2/accounts')).status).toBe(200)
    expect((await admin.get('/healthz')).status).toBe(200)

    // There is room again: the server notices by itself.
    await expect.poll(async () => (await admin.get('/readyz')).status, { timeout: 20_000 }).toBe(200)
    await expect.poll(() => server.output()).toContain('has disk space again')
    const lines = server
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
      [50, 'the database has no disk space left: writes fail until there is some'],
      [30, 'the database has disk space again'],
    ])
  },
  120_000,
)
