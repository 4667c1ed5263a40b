import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { storedBytesMax } from '../../../server/kernel/request/stored-answers.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true })
})
afterAll(() => world.close())

const longest = async () =>
  Number((await world.sql('SELECT max(octet_length(body)) FROM idempotency_keys')).rows[0].max)

const items = (count: number, chars: number) =>
  Array.from({ length: count }, (_, i) => ({
    type: 'custom_item',
    name: `Item ${i}`,
    quantity: 1,
    price: { amount: 100 },
    custom_inputs: { text: { line: 'x'.repeat(chars) } },
  }))

test('a short response is repeated as it was', async () => {
  const headers = { 'idempotency-key': randomUUID() }
  const body = { data: { type: 'account', name: 'Ada' } }
  const first = await world.admin.post('/v2/accounts', body, headers)
  await world.admin.put(`/v2/accounts/${first.body.data.id}`, { data: { type: 'account', name: 'Bea' } })
  const again = await world.admin.post('/v2/accounts', body, headers)
  expect([again.status, again.body]).toEqual([201, first.body])
})

test('a long response with one object keeps its id, and the object is read again', async () => {
  const headers = { 'idempotency-key': randomUUID() }
  const body = {
    data: {
      type: 'product',
      attributes: {
        name: 'Ring',
        sku: 'ring',
        commodity_type: 'physical',
        status: 'live',
        description: 'd'.repeat(50_000),
      },
    },
  }
  const first = await world.admin.post('/pcm/products', body, headers)
  expect(first.status).toBe(201)
  expect(await longest()).toBeLessThan(storedBytesMax.readable * 1.5)
  const again = await world.admin.post('/pcm/products', body, headers)
  expect([again.status, again.body]).toEqual([201, first.body])
  expect(again.headers.get('etag')).toBe(first.headers.get('etag'))
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  const path = `/pcm/products/${first.body.data.id}`
  await world.admin.put(path, { data: { ...first.body.data, attributes: { name: 'Band' } } })
  expect((await world.admin.post('/pcm/products', body, headers)).body.data.attributes.name).toBe('Band')
  expect((await world.admin.delete(path)).status).toBe(204)
  const gone = await world.admin.post('/pcm/products', body, headers)
  expect([gone.status, gone.body]).toEqual([201, { data: { type: 'product', id: first.body.data.id } }])
})

test('a very long response keeps the types and ids of its objects', async () => {
  const headers = { 'idempotency-key': randomUUID() }
  const cart = randomUUID()
  const add = () => world.admin.post(`/v2/carts/${cart}/items`, { data: items(90, 250) }, headers)
  const first = await add()
  expect(JSON.stringify(first.body).length).toBeGreaterThan(storedBytesMax.any)
  expect(await longest()).toBeLessThan(storedBytesMax.any * 1.5)
  const again = await add()
  const references = first.body.data.map(({ type, id }: { type: string; id: string }) => ({ type, id }))
  expect([again.status, again.body]).toEqual([201, { data: references }])
})
