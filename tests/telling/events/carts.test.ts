import { afterAll, beforeAll, expect, test } from 'vitest'
import { carts } from '../../../server/carts/index.ts'
import { forgetExpired } from '../../../server/kernel/write/forget-expired.ts'
import { customDiscount } from '../../builders/carts/custom-discounts.ts'
import { filledCart, openShop, wrap } from '../../builders/orders/buying.ts'
import { eventsDuring, keysOf } from '../../builders/telling/derived-events.ts'
import { MovingClock } from '../../support/moving-clock.ts'
import { body, idOf } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
const clock = new MovingClock()
beforeAll(async () => {
  world = await openWorld({
    clock,
    env: { SUTLER_BASE_URL: 'https://shop.example.com', SUTLER_TOKEN_LIFETIME_S: '9999999' },
  })
})
afterAll(() => world.close())

let counter = 0
const newPath = () => `/v2/carts/cart-of-events-${++counter}`
const shown = async (path: string) => ({ data: (await world.admin.get(path)).body.data })

test('each write of a cart is one event with the cart as data, its first write too', async () => {
  const ids = await openShop(world, { tea: 500 })
  const path = newPath()
  const steps: (() => Promise<unknown>)[] = [
    () => world.admin.post(`${path}/items`, { data: { type: 'cart_item', id: ids.tea, quantity: 2 } }),
    () => world.admin.post(`${path}/items`, { data: wrap() }),
    () => {
      const discount_settings = { custom_discounts_enabled: true, use_rule_promotions: false }
      return world.admin.put(path, { data: { discount_settings } })
    },
    () => world.admin.post(`${path}/custom-discounts`, { data: [customDiscount(-100)] }),
    () => world.admin.put(path, { data: { name: 'Breakfast', description: 'for two' } }),
  ]
  for (const step of steps) {
    const events = await eventsDuring(world, step)
    expect(keysOf(events)).toEqual(['cart.updated'])
    expect(events.at(-1)?.payload).toEqual(await shown(path))
  }
  expect((await shown(path)).data.relationships.items.data.length).toBe(2)
})

test('a tax item and an association are changes of the cart', async () => {
  const path = await filledCart(world.admin)
  const [item] = (await world.admin.get(`${path}/items`)).body.data
  const tax = { type: 'tax_item', name: 'VAT', jurisdiction: 'UK', code: 'VAT', rate: 0.2 }
  const taxed = await eventsDuring(world, () =>
    world.admin.post(`${path}/items/${item.id}/taxes`, { data: tax }),
  )
  expect(keysOf(taxed)).toEqual(['cart.updated'])
  expect(taxed[0]?.payload).toEqual(await shown(path))
  const customer = body('customer', { name: 'Ada', email: `ada-${++counter}@example.com` })
  const id = await idOf(world.admin.post('/v2/customers', customer))
  const owned = await eventsDuring(world, () =>
    world.admin.post(`${path}/relationships/customers`, { data: [{ type: 'customer', id }] }),
  )
  expect(keysOf(owned)).toEqual(['cart.updated'])
  expect(owned[0]?.payload).toEqual(await shown(path))
})

test('a cart is deleted under the id that clients know', async () => {
  const path = await filledCart(world.admin)
  const events = await eventsDuring(world, () => world.admin.delete(path))
  const id = path.split('/').at(-1)
  expect(events.map(({ key, payload }) => [key, payload])).toEqual([['cart.deleted', { type: 'cart', id }]])
})

test('a preview has no events, not even at its end', async () => {
  const path = newPath()
  const snapshot_date = new Date(clock.now().getTime() + 86_400_000).toISOString()
  const events = await eventsDuring(world, async () => {
    expect((await world.admin.put(path, { data: { name: 'Later', snapshot_date } })).status).toBe(200)
    expect((await world.admin.post(`${path}/items`, { data: wrap() })).status).toBe(201)
    expect((await world.admin.delete(path)).status).toBe(204)
  })
  expect(events).toEqual([])
})

test('a new cart with the id of one that had expired is the only event', async () => {
  const path = await filledCart(world.admin)
  clock.forward(30 * 86_400)
  const events = await eventsDuring(world, () => world.admin.put(path, { data: { name: 'Anew' } }))
  expect(keysOf(events)).toEqual(['cart.updated'])
  expect(events[0]?.payload).toEqual(await shown(path))
})

test('a cart that expires has no event', async () => {
  const path = await filledCart(world.admin)
  clock.forward(30 * 86_400)
  const events = await eventsDuring(world, () =>
    forgetExpired(() => carts, 'carts:forget-expired', '* * * * *').run(world.server.instance),
  )
  expect(keysOf(events)).toEqual([])
  const { rows } = await world.sql('SELECT FROM carts WHERE store_id = $1 AND reference = $2', [
    world.storeId,
    path.split('/').at(-1),
  ])
  expect(rows).toEqual([])
})
