import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Database } from '../../../server/kernel/storage/database.ts'
import { migrate } from '../../../server/kernel/storage/migrate.ts'
import { emptyDatabase, type OwnDatabase } from '../../support/own-database.ts'

/** This version opens a database whose topmost nodes still have a parent in their documents. */

const folder = join(import.meta.dirname, '../../../server/migrations')

let old: OwnDatabase
let database: Database
beforeAll(async () => {
  old = await emptyDatabase()
  database = new Database(old.url, 2)
  await old.sql('CREATE TABLE migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL)')
  for (const file of readdirSync(folder).sort()) {
    if (file >= '0052') break
    await old.sql(readFileSync(join(folder, file), 'utf8'))
    await old.sql('INSERT INTO migrations VALUES ($1, now())', [file])
  }
})
afterAll(async () => {
  await database.close()
  await old.drop()
})

const [store, hierarchy, top, below] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]

const insert = (id: string, within: string, name: string, parent?: string) =>
  old.sql(
    `INSERT INTO nodes (store_id, hierarchy_id, id, created_at, updated_at, doc, hidden)
     VALUES ($1, $2, $3, now(), now(), $4, '{"changed_at": 1}')`,
    [
      store,
      within,
      id,
      {
        attributes: { name },
        relationships: {
          children: { data: [] },
          ...(parent && { parent: { data: { type: 'node', id: parent } } }),
        },
      },
    ],
  )

const nodesNow = async () => {
  const { rows } = await old.sql(
    `SELECT id, parent_id, has_children, version, doc->'relationships'->'parent'->'data'->>'id' AS shown
     FROM nodes ORDER BY doc->'attributes'->>'name'`,
  )
  return rows
}

test('topmost nodes keep their place, show no parent and get a new version', async () => {
  const organisation = randomUUID()
  await old.sql('INSERT INTO organisations VALUES ($1, $2, now())', [organisation, 'Old'])
  await old.sql('INSERT INTO stores VALUES ($1, $2, $3, now())', [store, organisation, 'Old'])
  await insert(hierarchy, store, 'A hierarchy')
  await insert(top, hierarchy, 'B topmost', hierarchy)
  await insert(below, hierarchy, 'C below', top)
  await migrate(database)
  expect(await nodesNow()).toEqual([
    { id: hierarchy, parent_id: null, has_children: true, version: 0, shown: null },
    { id: top, parent_id: hierarchy, has_children: true, version: 1, shown: null },
    { id: below, parent_id: top, has_children: false, version: 0, shown: top },
  ])
  const { rows } = await old.sql(`SELECT scope, sum(n)::int AS n FROM list_deltas
    WHERE list = 'nodes.parent_id' GROUP BY scope`)
  expect(new Map(rows.map(({ scope, n }) => [scope, n]))).toEqual(
    new Map([
      [hierarchy, 1],
      [top, 1],
    ]),
  )
  // The generated columns work as before.
  await expect(insert(randomUUID(), hierarchy, 'B topmost')).rejects.toThrow('nodes_name_key')
  await old.sql('DELETE FROM nodes WHERE id = $1', [top])
  expect(await nodesNow()).toEqual([
    { id: hierarchy, parent_id: null, has_children: false, version: 0, shown: null },
  ])
})
