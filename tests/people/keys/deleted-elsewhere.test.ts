import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type RunningServer, start } from '../../../server/main.ts'
import { clientOf, tokenOf } from '../../support/client.ts'
import { MovingClock } from '../../support/moving-clock.ts'
import { type OwnDatabase, ownDatabase } from '../../support/own-database.ts'
import { secretOf, testConfig } from '../../support/world.ts'

const clock = new MovingClock()
let database: OwnDatabase
let here: RunningServer
let elsewhere: RunningServer

beforeAll(async () => {
  database = await ownDatabase()
  const config = testConfig(inject('postgres'), database.name)
  here = await start(config, { clock })
  elsewhere = await start(config, { clock })
})
afterAll(async () => {
  await Promise.all([here.stop(), elsewhere.stop()])
  await database.drop()
})

/** A client of a new key, at the other server. */
async function passingClient() {
  const admin = clientOf(
    here.url,
    await tokenOf(here.url, 'client-of-first', secretOf('first'), 'client_credentials'),
  )
  const reply = await admin.post('/v2/application-keys', {
    data: { type: 'application_key', name: 'Passing' },
  })
  const { id, client_id, client_secret } = reply.body.data
  const token = await tokenOf(elsewhere.url, client_id, client_secret, 'client_credentials')
  const deleteKey = () => admin.delete(`/v2/application-keys/${id}`)
  return { token, passing: clientOf(elsewhere.url, token), deleteKey }
}

test('tokens of a key that another process deleted are refused within a second', async () => {
  const { passing, deleteKey } = await passingClient()
  expect((await passing.get('/v2/accounts')).status).toBe(200)
  expect((await deleteKey()).status).toBe(204)
  clock.forward(1)
  expect((await passing.get('/v2/accounts')).status).toBe(401)
  const account = { data: { type: 'account', name: 'A' } }
  expect((await passing.post('/v2/accounts', account)).status).toBe(401)
})

// Within a second of the clock of its timers: see tests/kernel/auth/key-watch.test.ts.
test('a stream of changes, and a request that waits for one, end when another process deletes the key', async () => {
  const { token, passing, deleteKey } = await passingClient()
  const { body } = await passing.get('/v2/changes')
  const stream = await fetch(`${elsewhere.url}/v2/changes`, {
    headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
  })
  // The delete is itself a change, and its process tells nobody.
  const waiting = passing.get(`/v2/changes?wait=30&filter=eq(type,file)&page[after]=${body.meta.feed.last}`)
  const ended = stream.text().then(
    () => 'ended',
    () => 'ended',
  )
  expect((await deleteKey()).status).toBe(204)
  expect(await ended).toBe('ended')
  expect((await waiting).status).toBe(401)
})
