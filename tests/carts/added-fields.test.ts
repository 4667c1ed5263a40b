import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeFlow } from '../builders/fields/flows.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const wrap = { type: 'custom_item', name: 'Wrap', quantity: 1, price: { amount: 100 } }

test('carts have the fields of a flow, which changes of their items keep', async () => {
  await world.shopper.post('/v2/carts/before/items', { data: wrap })
  const flow = await makeFlow(world.admin, 'carts', {
    gift_note: { field_type: 'string' },
    deliveries: { field_type: 'integer', default: 1 },
  })
  const created = await world.shopper.post('/v2/carts', { data: { id: 'noted', gift_note: 'For Ada' } })
  expect([created.status, created.body.data]).toMatchObject([201, { gift_note: 'For Ada', deliveries: 1 }])
  await world.shopper.post('/v2/carts/noted/items', { data: wrap })
  const read = (id: string) => world.shopper.get(`/v2/carts/${id}`)
  expect((await read('noted')).body.data).toMatchObject({ gift_note: 'For Ada', deliveries: 1 })
  expect((await read('before')).body.data).toMatchObject({ gift_note: null })
  expect((await read('unborn')).body.data).toMatchObject({ gift_note: null, deliveries: 1 })
  await world.shopper.post('/v2/carts/unborn/items', { data: wrap })

  const updated = await world.shopper.put('/v2/carts/before', { data: { gift_note: 'For Ben' } })
  expect([updated.status, updated.body.data.gift_note]).toEqual([200, 'For Ben'])
  const refused = await world.shopper.put('/v2/carts/before', { data: { deliveries: 'two' } })
  expect(refused.status).toBe(422)
  expect((await flow.drop('gift_note')).status).toBe(204)
  const { data } = (await read('before')).body
  expect(Object.hasOwn(data, 'gift_note')).toBe(false)
  expect(data.meta.display_price.with_tax.amount).toBe(100)
})
