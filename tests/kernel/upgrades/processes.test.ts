import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Database } from '../../../server/kernel/storage/database.ts'
import { Processes } from '../../../server/kernel/upgrades/processes.ts'
import { type OwnDatabase, ownDatabase } from '../../support/own-database.ts'
import { until } from '../../support/until.ts'

let own: OwnDatabase
let database: Database
beforeAll(async () => {
  own = await ownDatabase()
  database = new Database(own.url, 2)
})
afterAll(async () => {
  await database.close()
  await own.drop()
})

async function begin(name: string, lastMigration = '9000-newest.sql') {
  const process = new Processes(database, pino({ level: 'silent' }), {
    name,
    version: '0.1.0',
    lastMigration,
  })
  await process.start()
  return process
}
const reaches = (process: Processes, count: number) =>
  until(async () => (process.count === count ? true : undefined))

test('processes count each other, and not one that has stopped or died', async () => {
  const [one, two] = [await begin('one'), await begin('two')]
  await reaches(one, 2)
  await reaches(two, 2)
  await two.stop()
  await reaches(one, 1)
  await own.sql(`INSERT INTO processes VALUES ('dead', '0.1.0', '9', now() - interval '2 s')`)
  await reaches(one, 2)
  await reaches(one, 1)
  await one.stop()
  const { rows } = await own.sql(
    `SELECT name, has_ended AS ended FROM processes WHERE name IN ('one', 'two')`,
  )
  expect(rows.map(({ ended }) => ended)).toEqual([true, true])
})

test('a process that was away learns that the schema has become too new for it', async () => {
  const old = await begin('old', '9000-known.sql')
  await own.sql(`INSERT INTO migrations VALUES ('9999-contract.sql', now(), 'contract')`)
  expect(await old.failed).toBe(
    'the database was migrated by a newer version of Sutler (9999-contract.sql): start that version',
  )
  await old.stop()
})
