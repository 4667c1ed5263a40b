import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { Database } from '../../../server/kernel/storage/database.ts'
import type { Instance } from '../../../server/kernel/work/context.ts'
import { trimChanges } from '../../../server/personal-data/logs-ttl.ts'
import { startEmbedded } from '../../../server/platform/postgres/embedded.ts'
import { copyDataDirectory } from '../../support/copy-data-directory.ts'
import { tries } from '../../support/long.ts'
import { type OwnDatabase, ownDatabase } from '../../support/own-database.ts'
import {
  addStores,
  type Change,
  expectWhole,
  openWriters,
  prepare,
  statement,
  stores,
  transactions,
} from './feed-writers.ts'

/** What the change feed promises, under the writers of feed-writers.ts. */

let own: OwnDatabase
let client: pg.Client
beforeAll(async () => {
  own = await ownDatabase()
  client = new pg.Client(own.url)
  await client.connect()
  await prepare(client)
  await addStores(client)
})
afterAll(async () => {
  await client.end()
  await own.drop()
})

const empty = 'TRUNCATE accounts, fresh_changes, changes, feeds, ledger, list_deltas CASCADE'

test('the feed is dense, in order and complete, however late a write commits', async () => {
  await fc.assert(
    fc.asyncProperty(transactions, async (plan) => {
      await client.query(empty)
      const running = await openWriters(own.url)
      try {
        await running.write(plan)
      } finally {
        await running.stop()
      }
      for (const [i, store] of stores.entries()) {
        await expectWhole(client, store, running.readers[i]?.changes ?? [])
      }
    }),
    { numRuns: tries(3, 6), endOnFailure: true },
  )
}, 120_000)

const tables = async (from: pg.Client) => {
  const { rows } = await from.query(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
       AND relname <> 'migrations' ORDER BY 1`,
  )
  return rows.map(({ name }) => name as string)
}

/**
 * As pg_dump, which the embedded PostgreSQL comes without: tables in one snapshot, sequences as they then are. `midway`
 * happens between the two.
 */
async function dump(from: pg.Client, directory: string, midway: () => Promise<void>): Promise<string> {
  await from.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  const names = await tables(from)
  for (const table of names) await from.query(`COPY ${table} TO '${join(directory, table)}'`)
  await from.query('COMMIT')
  await midway()
  const { rows } = await from.query('SELECT last_value FROM fresh_changes_seq_seq')
  return rows[0].last_value
}

async function restore(to: pg.Client, directory: string, lastValue: string): Promise<void> {
  const names = await tables(to)
  await to.query(`SET session_replication_role = replica; TRUNCATE ${names.join(', ')}`)
  for (const table of names) await to.query(`COPY ${table} FROM '${join(directory, table)}'`)
  await to.query(`SELECT setval('fresh_changes_seq_seq', $1)`, [lastValue])
  await to.query(`SET session_replication_role = origin`)
}

test('a dump restored into a new cluster continues the feed, and old changes are trimmed', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sutler-dump-'))
  chmodSync(directory, 0o777)
  // Its transaction ids begin where the first start ended.
  const home = mkdtempSync(join(tmpdir(), 'sutler-restored-'))
  copyDataDirectory(inject('dataDirectory'), home)
  // A store has a third of them at least, and half of what they say finds what it is about: several at once are enough.
  const history = () => fc.sample(transactions, 3).flat()
  const [before, meanwhile, after] = [history(), history(), history()]
  await client.query(empty)
  // The old cluster has come far: its transaction ids are all above those of the new one.
  for (let n = 0; n < 2000; n++) await client.query('SELECT pg_current_xact_id()')
  const old = await openWriters(own.url)
  let lastValue = ''
  try {
    await old.write(before)
    for (const store of stores) await client.query('SELECT sequence_store($1)', [store])
    const writing = old.write(meanwhile)
    lastValue = await dump(client, directory, () => sleep(50))
    await writing
  } finally {
    await old.stop()
  }
  const embedded = await startEmbedded(home)
  const restored = new pg.Client(embedded.url)
  try {
    const database = new Database(embedded.url, 2)
    await restored.connect()
    await prepare(restored)
    await restore(restored, directory, lastValue)
    const { rows: ids } = await restored.query('SELECT pg_current_xact_id()::text::int AS id')
    const { rows: oldIds } = await client.query('SELECT pg_current_xact_id()::text::int AS id')
    expect(ids[0].id).toBeLessThan(oldIds[0].id - 1000)

    const dumped: Change[][] = []
    for (const store of stores) {
      const { rows } = await restored.query(
        `SELECT position::int, event, source, id, scope, (doc->>'v')::int AS v FROM changes
         WHERE store_id = $1 ORDER BY position`,
        [store],
      )
      dumped.push(rows)
    }
    const running = await openWriters(
      embedded.url,
      dumped.map((rows) => rows.at(-1)?.position ?? 0),
    )
    try {
      await running.write(after)
    } finally {
      await running.stop()
    }
    for (const [i, store] of stores.entries()) {
      const rows = dumped[i] as Change[]
      const changes = running.readers[i]?.changes ?? []
      expect(rows.length).toBeGreaterThan(10)
      expect(changes.length).toBeGreaterThan(10)
      // What clients of the old cluster had read is what the new one says.
      expect(rows).toEqual(old.readers[i]?.changes.slice(0, rows.length))
      await expectWhole(restored, store, [...rows, ...changes])
    }

    const clock = { now: () => new Date('2100-01-01') }
    await trimChanges.run({ database, clock } as unknown as Instance)
    const { rows: left } = await restored.query('SELECT FROM changes')
    expect(left).toEqual([])
    const [store] = stores
    const { rows: feeds } = await restored.query('SELECT position::int FROM feeds WHERE store_id = $1', [
      store,
    ])
    await restored.query(statement(0, { act: 'delete', parent: 0, child: undefined }))
    await restored.query(statement(0, { act: 'create', parent: 0, child: undefined }))
    await restored.query('SELECT sequence_store($1)', [store])
    const { rows: next } = await restored.query('SELECT min(position)::int AS position FROM changes')
    expect(next[0].position).toBe(feeds[0].position + 1)
    await database.close()
  } finally {
    await restored.end()
    await embedded.stop()
    for (const path of [directory, home]) rmSync(path, { recursive: true, force: true })
  }
}, 180_000)
