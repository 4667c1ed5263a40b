import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { located, transactionsOf } from '../../builders/assortment/stock.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const at = (id: string) => `/v2/inventories/${id}`

test.each([
  ['product_id', (id: string) => ({ product_id: id, quantity: 3 })],
  ['product_id in capitals', (id: string) => ({ product_id: id.toUpperCase(), quantity: 3 })],
  ['attributes.product_id', (id: string) => ({ attributes: { product_id: id, available: 3 } })],
  ['all of them', (id: string) => ({ id, product_id: id, attributes: { product_id: id, available: 3 } })],
])('new stock takes the id of its product from %s', async (_name, bodyOf) => {
  for (const headers of [{}, located]) {
    const id = randomUUID()
    const { status, body } = await world.admin.post(
      '/v2/inventories',
      { data: { type: 'stock', ...bodyOf(id) } },
      headers,
    )
    expect([status, body.errors, body.data?.id]).toEqual([201, undefined, id])
    expect((await world.admin.get(at(id))).body.data.available).toBe(3)
  }
})

test.each<[string, { product_id?: string; attributes?: object }]>([
  ['data.product_id', { product_id: randomUUID() }],
  ['data.attributes.product_id', { attributes: { product_id: randomUUID(), available: 1 } }],
])('a second id in %s is refused, by every call that has one already', async (source, other) => {
  const id = randomUUID()
  for (const [path, data] of [
    ['/v2/inventories', { id, quantity: 1, ...other }],
    [at(id), { quantity: 1, ...other }],
  ] as const) {
    const { status, body } = await world.admin.post(path, { data: { type: 'stock', ...data } })
    expect([status, body.errors?.[0].source]).toEqual([400, source])
    expect(body.errors[0].detail).toContain(id)
  }
  expect((await world.admin.get(at(id))).status).toBe(404)
  await world.admin.post(at(id), { data: { quantity: 4 } })
  const changed = { type: 'stock', id, ...other }
  const transaction = { type: 'stock-transaction', action: 'increment', quantity: 1, ...other }
  const inAttributes = { attributes: { action: 'increment', quantity: 1, ...other.attributes } }
  for (const { status, body } of [
    await world.admin.put(at(id), { data: changed }),
    await world.admin.post(transactionsOf(id), {
      data: { ...transaction, ...(other.attributes && inAttributes) },
    }),
  ]) {
    expect([status, body.errors?.[0].source]).toEqual([400, source])
  }
  expect((await world.admin.get(at(id))).body.data.available).toBe(4)
})
