import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeFlow } from '../builders/fields/flows.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

test('a new order has the defaults of the fields of a flow, and a seller sets them', async () => {
  await makeFlow(world.admin, 'orders', {
    gift_note: { field_type: 'string' },
    parcels: { field_type: 'integer', default: 1 },
  })
  const wrap = { type: 'custom_item', name: 'Wrap', quantity: 1, price: { amount: 100 } }
  await world.admin.post('/v2/carts/noted/items', { data: wrap })
  const names = { first_name: 'Ada', last_name: 'Bloom' }
  const place = { line_1: '12 Mill Lane', region: 'Cambridgeshire', postcode: 'CB7 4AA', country: 'GB' }
  const { status, body } = await world.admin.post('/v2/carts/noted/checkout', {
    data: {
      customer: { name: 'Ada Bloom', email: 'ada@example.com' },
      billing_address: { ...names, ...place },
      ...{ gift_note: 'For Ben', parcels: 2 },
    },
  })
  expect([status, body.data]).toMatchObject([201, { gift_note: null, parcels: 1 }])
  const data = { type: 'order', gift_note: 'For Ben' }
  const changed = await world.admin.put(`/v2/orders/${body.data.id}`, { data })
  expect([changed.status, changed.body.data]).toMatchObject([200, { gift_note: 'For Ben', parcels: 1 }])
})
