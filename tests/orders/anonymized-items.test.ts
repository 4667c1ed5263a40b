import { afterAll, beforeAll, expect, test } from 'vitest'
import { filledCart, guestBody, openShop, wrap } from '../builders/orders/buying.ts'
import type { Any } from '../support/requests.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true })
  await openShop(world, { MUG: 1200 })
})
afterAll(() => world.close())

const mug = { type: 'cart_item', sku: 'MUG', quantity: 1 }

test('anonymized orders have no text that a shopper wrote into an item or a shipping group', async () => {
  const inputs = { engraving: 'Ada', deep: { more: ['Byron', 7, true, ''] } }
  const cart = await filledCart(world.shopper, wrap({ custom_inputs: inputs }), {
    ...mug,
    custom_inputs: inputs,
  })
  await world.shopper.post(`${cart}/shipping-groups`, {
    data: { type: 'shipping_group', shipping_price: { base: 1 }, address: { line_1: 'Ada Street' } },
  })
  const { id } = (await world.shopper.post(`${cart}/checkout`, guestBody())).body.data
  await world.admin.put(`/v2/orders/${id}`, { data: { type: 'order', status: 'cancelled' } })
  const withItems = async () => JSON.stringify(await world.admin.get(`/v2/orders/${id}?include=items`))
  expect(await withItems()).toMatch(/Ada|Byron/)
  await world.admin.post('/v2/orders/anonymize', { data: { order_ids: [id] } })
  expect(await withItems()).not.toMatch(/Ada|Byron/)
  const { body } = await world.admin.get(`/v2/orders/${id}/items`)
  expect(body.data.map(({ name, sku, custom_inputs }: Any) => [name, sku, custom_inputs])).toEqual([
    ['**', '**', undefined],
    ['MUG', 'MUG', undefined],
  ])
  const { rows } = await world.sql(
    `SELECT c.doc::text || o.doc::text || o.hidden::text AS all
     FROM orders o JOIN order_contents c ON c.store_id = o.store_id AND c.order_id = o.id WHERE o.id = $1`,
    [id],
  )
  expect(rows[0].all).not.toMatch(/Ada|Byron/)
})

test('the cart of an anonymized order is removed if it is empty, and stays if it is in use again', async () => {
  const refill = async (cart: string) => {
    await world.shopper.delete(`${cart}/items`)
    await world.shopper.post(`${cart}/items`, { data: mug })
  }
  const isLeft = async (change: (cart: string) => Promise<unknown>) => {
    const cart = await filledCart(world.shopper, mug)
    await world.shopper.put(cart, { data: { contact: { email: 'ada@example.com' } } })
    const { id } = (await world.shopper.post(`${cart}/checkout`, guestBody())).body.data
    await world.admin.put(`/v2/orders/${id}`, { data: { type: 'order', status: 'cancelled' } })
    await change(cart)
    await world.admin.post('/v2/orders/anonymize', { data: { order_ids: [id] } })
    const { rows } = await world.sql('SELECT 1 FROM carts WHERE reference = $1', [cart.split('/').at(-1)])
    return rows.length > 0
  }
  expect({
    unchanged: await isLeft(async () => {}),
    emptied: await isLeft((cart) => world.shopper.delete(`${cart}/items`)),
    refilled: await isLeft(refill),
  }).toEqual({ unchanged: false, emptied: false, refilled: true })
})
