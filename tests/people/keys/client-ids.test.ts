import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Database } from '../../../server/kernel/storage/database.ts'
import { claimClientId, createFirstKey, OperatorKeys } from '../../../server/people/index.ts'
import { storeOfClientId } from '../../../server/people/keys/client-ids.ts'
import { type OwnDatabase, ownDatabase } from '../../support/own-database.ts'

let own: OwnDatabase
let database: Database
let [one, other] = ['', '']
const now = () => new Date()
beforeAll(async () => {
  own = await ownDatabase()
  database = new Database(own.url, 3)
  const { rows } = await own.sql('SELECT id, organisation_id AS organisation FROM stores LIMIT 1')
  one = rows[0].id
  other = randomUUID()
  await own.sql(
    `INSERT INTO stores (id, organisation_id, name, created_at) VALUES ($1, $2, 'Other', now())`,
    [...[other, rows[0].organisation]],
  )
})
afterAll(async () => {
  await database.close()
  await own.drop()
})

test('a client id is one of a store as long as its key is there', async () => {
  const keys = new OperatorKeys(database, one, now)
  const { clientId } = await keys.add('Storefront')
  expect(await storeOfClientId(database, clientId)).toBe(one)
  await expect(claimClientId(database, other, clientId)).rejects.toThrow('one of another store')
  await keys.remove(clientId)
  expect(await storeOfClientId(database, clientId)).toBeUndefined()
  await claimClientId(database, other, clientId)
  expect(await storeOfClientId(database, clientId)).toBe(other)
})

test('the client id of a store that was deleted can be taken', async () => {
  const gone = randomUUID()
  await claimClientId(database, gone, 'left')
  await claimClientId(database, gone, 'left')
  await claimClientId(database, one, 'left')
  expect(await storeOfClientId(database, 'left')).toBe(one)
})

test('the first key has its client id in the store that has it already', async () => {
  const secret = 's'.repeat(40)
  const create = (store: string) =>
    database.transaction((connection) => createFirstKey(connection, store, 'first', secret, now()))
  await create(one)
  await create(other)
  const { rows } = await own.sql(`SELECT store_id AS store FROM application_keys WHERE client_id = 'first'`)
  expect(rows).toEqual([{ store: one }])
})
