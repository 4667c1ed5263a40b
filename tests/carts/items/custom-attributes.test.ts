import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const gift = { gift: { type: 'boolean', value: true } }
const level = { level: { type: 'string', value: 'gold' } }
const wrap = (values: object = {}) => ({
  ...{ type: 'custom_item', name: 'Wrap', sku: 'WRAP', quantity: 1 },
  price: { amount: 100, includes_tax: false },
  ...values,
})
let counter = 0
const newCart = () => `/v2/carts/attributes-${++counter}`

test('a seller sets the attributes of an item, and an update replaces all of them', async () => {
  const cart = newCart()
  const added = await world.admin.post(`${cart}/items`, { data: wrap({ custom_attributes: gift }) })
  expect([added.status, added.body.data[0].custom_attributes]).toEqual([201, gift])
  const item = `${cart}/items/${added.body.data[0].id}`
  const updated = await world.admin.put(item, { data: { custom_attributes: level } })
  expect(updated.body.data[0].custom_attributes).toEqual(level)
  const kept = await world.shopper.put(item, { data: { quantity: 2 } })
  expect(kept.body.data[0].custom_attributes).toEqual(level)
})

test('the same item added again has the attributes and taxes that were sent last', async () => {
  const cart = newCart()
  const tax = [{ rate: 0.1 }, { amount: 5, code: 'FEE' }]
  await world.admin.post(`${cart}/items`, { data: wrap({ custom_attributes: gift, tax: [{ rate: 0.5 }] }) })
  await world.admin.post(`${cart}/items`, { data: wrap() })
  const { body } = await world.admin.post(`${cart}/items`, {
    data: wrap({ custom_attributes: level, tax }),
  })
  expect(body.data).toMatchObject([{ quantity: 3, custom_attributes: level }])
  expect(body.meta.display_price.tax.amount).toBe(30 + 5)
})

test('shoppers set neither attributes nor taxes', async () => {
  const cart = newCart()
  const data = [wrap(), wrap({ sku: 'A', custom_attributes: gift }), wrap({ sku: 'B', tax: [{ rate: 0 }] })]
  const some = await world.shopper.post(`${cart}/items`, { data })
  expect([some.status, some.body.data.length]).toEqual([201, 1])
  expect(some.body.errors).toMatchObject([
    { status: '403', title: 'Unauthorised call', source: 'data.1.custom_attributes' },
    { status: '403', title: 'Unauthorised call', source: 'data.2.tax' },
  ])
  const item = `${cart}/items/${some.body.data[0].id}`
  expect((await world.shopper.put(item, { data: { custom_attributes: gift } })).status).toBe(403)
  expect((await world.shopper.post(`${cart}/items`, { data: data[1] })).status).toBe(403)
})

test.for([
  ['of another type', { gift: { type: 'integer', value: 'three' } }],
  [
    'more than 20',
    Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`a${i}`, { type: 'integer', value: i }])),
  ],
])('attributes that are %s are refused', async ([, custom_attributes]) => {
  const cart = newCart()
  const added = await world.admin.post(`${cart}/items`, { data: wrap({ custom_attributes }) })
  expect(added.status).toBe(400)
  expect((await world.admin.put(cart, { data: { custom_attributes } })).status).toBe(400)
})
