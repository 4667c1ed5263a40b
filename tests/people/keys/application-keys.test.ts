import { afterAll, beforeAll, expect, test } from 'vitest'
import { tokenOf } from '../../support/client.ts'
import { MovingClock } from '../../support/moving-clock.ts'
import { openWorld, type World } from '../../support/world.ts'

const clock = new MovingClock()
let world: World
beforeAll(async () => {
  world = await openWorld({ clock })
})
afterAll(() => world.close())

const keys = '/v2/application-keys'
const key = (fields: object = {}) => ({ data: { type: 'application_key', name: 'Storefront', ...fields } })
const micros = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

async function newKey(fields: object = {}) {
  const { status, body } = await world.admin.post(keys, key(fields))
  expect(status, JSON.stringify(body)).toBe(201)
  return body.data
}
const freeAll = async () => {
  const { body } = await world.admin.get(`${keys}?page[limit]=100`)
  for (const { id } of body.data) {
    await world.admin.put(`${keys}/${id}`, { data: { type: 'application_key', reserved_rate_limit: 0 } })
  }
}

test('only the response to the create shows the secret', async () => {
  const { client_secret, ...created } = await newKey({ client_id: 'mine', client_secret: 'mine' })
  expect(created).toMatchObject({
    type: 'application_key',
    name: 'Storefront',
    reserved_rate_limit: 0,
    client_id: expect.stringMatching(/^[0-9a-f]{42}$/),
    links: { self: `${keys}/${created.id}` },
    meta: {
      timestamps: {
        created_at: expect.stringMatching(micros),
        updated_at: expect.stringMatching(micros),
        last_used_at: null,
      },
    },
  })
  expect(client_secret).toMatch(/^[0-9a-f]{42}$/)
  const shown = [
    await world.admin.get(`${keys}/${created.id}`),
    await world.admin.put(`${keys}/${created.id}`, key({ name: 'Storefront', client_secret: 'x' })),
    await world.admin.get(keys),
  ]
  for (const { status, body } of shown) {
    expect(status).toBe(200)
    expect(JSON.stringify(body)).not.toContain('secret')
  }
  const { rows } = await world.sql(
    `SELECT doc::text || coalesce(hidden::text, '') AS stored FROM application_keys`,
  )
  const feed = await world.feed('SELECT doc::text FROM changes WHERE id = $1', [created.id])
  expect(JSON.stringify([rows, feed.rows])).not.toContain(client_secret)
})

test('a renamed key still works', async () => {
  const { id, client_id, client_secret } = await newKey()
  const { status, body } = await world.admin.put(`${keys}/${id}`, key({ name: 'Search', client_id: 'other' }))
  expect([status, body.data.name, body.data.client_id]).toEqual([200, 'Search', client_id])
  expect(await tokenOf(world.url, client_id, client_secret, 'client_credentials')).toBeTruthy()
})

test('last_used_at is when a token was last issued, and a token request is not a change of the key', async () => {
  const { id, client_id, client_secret } = await newKey()
  const before = (await world.admin.get(`${keys}/${id}`)).headers.get('etag')
  clock.forward(60)
  await tokenOf(world.url, client_id, client_secret, 'implicit')
  const { body, headers } = await world.admin.get(`${keys}/${id}`)
  const { created_at, updated_at, last_used_at } = body.data.meta.timestamps
  expect(updated_at).toBe(created_at)
  expect(last_used_at).toMatch(micros)
  expect(Date.parse(last_used_at) - Date.parse(created_at)).toBeGreaterThanOrEqual(60_000)
  expect(headers.get('etag')).toBe(before)
  await world.admin.put(`${keys}/${id}`, key({ name: 'Renamed' }))
  const renamed = (await world.admin.get(`${keys}/${id}`)).body
  expect(renamed.data.meta.timestamps.last_used_at).toBe(last_used_at)
})

test('a concurrent change of the key keeps last_used_at', async () => {
  const { id, client_id, client_secret } = await newKey()
  // The change has read the key and waits for the lock.
  const held = world.sql(
    `BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('${world.storeId}reserved-rate-limit', 0));
     SELECT pg_sleep(2); COMMIT`,
  )
  const waits = (event: string) => async () =>
    (
      await world.sql('SELECT FROM pg_stat_activity WHERE wait_event = $1 AND datname = current_database()', [
        event,
      ])
    ).rowCount
  await expect.poll(waits('PgSleep'), { timeout: 10_000 }).toBe(1)
  const change = world.admin.put(`${keys}/${id}`, key({ name: 'Changed meanwhile' }))
  await expect.poll(waits('advisory'), { timeout: 10_000 }).toBe(1)
  await tokenOf(world.url, client_id, client_secret, 'implicit')
  const used = (await world.admin.get(`${keys}/${id}`)).body.data.meta.timestamps.last_used_at
  expect(used).toMatch(micros)
  await held
  const { status, body } = await change
  expect([status, body.data.name]).toEqual([200, 'Changed meanwhile'])
  expect(body.data.meta.timestamps.last_used_at).toBe(used)
  expect((await world.admin.get(`${keys}/${id}`)).body.data).toEqual(body.data)
})

test('the list has the sum of the reserved rate limits', async () => {
  await freeAll()
  await newKey({ reserved_rate_limit: 30 })
  const { id } = await newKey({ reserved_rate_limit: 20 })
  const reserved = async () =>
    (await world.admin.get(`${keys}?page[limit]=1`)).body.meta.total_reserved_rate_limit
  expect(await reserved()).toBe(50)
  await world.admin.put(`${keys}/${id}`, key({ reserved_rate_limit: 5 }))
  expect(await reserved()).toBe(35)
  expect((await world.other.get(keys)).body.meta.total_reserved_rate_limit).toBe(0)
})

test('keys cannot reserve more than the rate limit together, also concurrently', async () => {
  await freeAll()
  const replies = await Promise.all(
    Array.from({ length: 6 }, () => world.admin.post(keys, key({ reserved_rate_limit: 30 }))),
  )
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409, 409])
  const { id } = await newKey({ reserved_rate_limit: 10 })
  expect((await world.admin.put(`${keys}/${id}`, key({ reserved_rate_limit: 10 }))).status).toBe(200)
  for (const reserved_rate_limit of [11, 101, 3_000_000_000]) {
    for (const reply of [
      world.admin.put(`${keys}/${id}`, key({ reserved_rate_limit })),
      world.admin.post(keys, key({ reserved_rate_limit })),
    ]) {
      const { status, body } = await reply
      expect(status).toBe(409)
      expect(body.errors[0].detail).toMatch(/^requested reserved rate limit will exceed the maximum/)
    }
  }
  await freeAll()
})

test('tokens of a deleted key are refused at once, and it gets no new ones', async () => {
  const { id, client_id, client_secret } = await newKey()
  const tokens = await Promise.all(
    ['client_credentials', 'client_credentials', 'implicit'].map((grant) =>
      tokenOf(world.url, client_id, client_secret, grant),
    ),
  )
  const clients = tokens.map(world.clientWith)
  for (const client of clients) expect((await client.get('/v2/authentication-realms')).status).toBe(200)
  let asking = true
  const busy = (async () => {
    while (asking) await clients[0]?.get('/v2/authentication-realms')
  })()
  expect((await world.admin.delete(`${keys}/${id}`)).status).toBe(204)
  for (const client of clients) expect((await client.get('/v2/authentication-realms')).status).toBe(401)
  asking = false
  await busy
  await expect(tokenOf(world.url, client_id, client_secret, 'implicit')).rejects.toThrow(/401/)
  expect((await world.admin.delete(`${keys}/${id}`)).status).toBe(404)
})

test.each([
  [{ name: undefined }, 'data.name'],
  [{ name: '' }, 'data.name'],
  [{ name: 'x'.repeat(256) }, 'data.name'],
  [{ name: null }, 'data.name'],
  [{ reserved_rate_limit: -1 }, 'data.reserved_rate_limit'],
  [{ reserved_rate_limit: 1.5 }, 'data.reserved_rate_limit'],
  [{ reserved_rate_limit: '10' }, 'data.reserved_rate_limit'],
  [{ type: 'key' }, 'data.type'],
])('a key with %j is refused, and %s named', async (fields, source) => {
  const { status, body } = await world.admin.post(keys, key(fields))
  expect([status, body.errors[0].source]).toEqual([400, source])
})

test('only client credentials of the store can read keys', async () => {
  const { id } = await newKey()
  expect((await world.shopper.get(keys)).status).toBe(403)
  expect((await world.other.get(`${keys}/${id}`)).body.errors[0]).toMatchObject({
    status: '404',
    detail: expect.stringMatching(/^application key not found: /),
  })
  expect((await world.other.delete(`${keys}/${id}`)).status).toBe(404)
})
