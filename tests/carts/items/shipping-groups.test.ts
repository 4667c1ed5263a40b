import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const group = {
  type: 'shipping_group',
  shipping_type: 'express',
  shipping_price: { base: 500, tax: 100, fees: 100 },
}
const wrap = {
  type: 'custom_item',
  name: 'Wrap',
  quantity: 1,
  price: { amount: 20_000, includes_tax: false },
}

test('the price of a group counts once an item is linked to it', async () => {
  const path = '/v2/carts/shipped'
  const created = await world.shopper.post(`${path}/shipping-groups`, { data: group })
  expect([created.status, created.body.data.meta.shipping_display_price.total.amount]).toEqual([201, 700])
  const { id } = created.body.data
  await world.shopper.post(`${path}/items`, { data: wrap })
  const shipping = async () => (await world.shopper.get(path)).body.data.meta.display_price.shipping.amount
  expect(await shipping()).toBe(0)
  const linked = await world.shopper.post(`${path}/items`, { data: { ...wrap, shipping_group_id: id } })
  expect(linked.body.data).toHaveLength(2)
  expect(await shipping()).toBe(700)
  expect((await world.shopper.delete(`${path}/shipping-groups/${id}`)).status).toBe(400)
  const item = linked.body.data[1].id
  await world.shopper.put(`${path}/items/${item}`, { data: { shipping_group_id: '' } })
  expect(await shipping()).toBe(0)
  expect((await world.shopper.delete(`${path}/shipping-groups/${id}`)).status).toBe(204)
  expect((await world.shopper.get(`${path}/shipping-groups`)).body.data).toEqual([])
})

test('an update keeps what it does not name', async () => {
  const path = '/v2/carts/updated/shipping-groups'
  const { id } = (await world.shopper.post(path, { data: group })).body.data
  const { body } = await world.shopper.put(`${path}/${id}`, { data: { tracking_reference: 'T-1' } })
  expect(body.data).toMatchObject({ shipping_type: 'express', tracking_reference: 'T-1' })
  expect(body.data.shipping_price.base.amount).toBe(500)
  const dearer = await world.shopper.put(`${path}/${id}`, { data: { shipping_price: { base: 600 } } })
  expect(dearer.body.data.shipping_price).toMatchObject({ total: { amount: 800 }, fees: { amount: 100 } })
})

test('a group that is not of the cart is refused', async () => {
  const item = { ...wrap, shipping_group_id: crypto.randomUUID() }
  const own = `/v2/carts/other/shipping-groups/${item.shipping_group_id}`
  for (const reply of [
    await world.shopper.post('/v2/carts/other/items', { data: item }),
    await world.shopper.get(own),
    await world.shopper.put(own, { data: group }),
    await world.shopper.delete(own),
  ])
    expect([reply.status, reply.body.errors[0].title]).toEqual([404, 'Cart shipping group not found'])
})

test('a delivery that ends before it begins is refused', async () => {
  const path = '/v2/carts/backwards/shipping-groups'
  const estimate = (start: string, end: string) => ({ ...group, delivery_estimate: { start, end } })
  const backwards = { data: estimate('2031-02-02', '2031-02-01') }
  const { status, body } = await world.shopper.post(path, { data: estimate('2031-02-01', '2031-02-02') })
  expect(status).toBe(201)
  for (const refused of [
    await world.shopper.post(path, backwards),
    await world.shopper.put(`${path}/${body.data.id}`, backwards),
  ])
    expect([refused.status, refused.body.errors[0].title]).toEqual([400, 'Date Logic Discrepancy'])
})
