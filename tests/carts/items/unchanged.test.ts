import { afterAll, beforeAll, expect, test } from 'vitest'
import { MovingClock } from '../../support/moving-clock.ts'
import { openWorld, type World } from '../../support/world.ts'

const clock = new MovingClock()
let world: World
let cart: string
let item: string
beforeAll(async () => {
  world = await openWorld({ clock })
  cart = '/v2/carts/unchanged'
  const data = {
    type: 'custom_item',
    name: 'Engraving',
    sku: 'engraving',
    quantity: 2,
    price: { amount: 500 },
  }
  item = (await world.admin.post(`${cart}/items`, { data })).body.data[0].id
})
afterAll(() => world.close())

const changes = async () =>
  (await world.feed('SELECT event FROM changes WHERE store_id = $1', [world.storeId])).rows.length

/** What clients see of a change: the cart, its tag, its items, and how many changes there are. */
async function seen() {
  const [read, items] = [await world.admin.get(cart), await world.admin.get(`${cart}/items`)]
  return [read.headers.get('etag'), read.body, items.body, await changes()]
}

test('updates of a cart and of its items that change nothing write nothing', async () => {
  await world.admin.put(cart, { data: { name: 'Mine', description: 'For the weekend' } })
  await world.admin.put(`${cart}/items/${item}`, { data: { quantity: 3, custom_inputs: { text: 'Ada' } } })
  const before = await seen()
  for (const [path, data] of [
    [cart, { name: 'Mine', description: 'For the weekend' }],
    [cart, {}],
    [`${cart}/items/${item}`, { quantity: 3, custom_inputs: { text: 'Ada' } }],
    [`${cart}/items/${item}`, {}],
    [`${cart}/items`, [{ id: item, quantity: 3 }]],
  ] as const) {
    clock.forward(60)
    expect((await world.admin.put(path, { data })).status).toBe(200)
    expect(await seen(), `after ${JSON.stringify(data)} at ${path}`).toEqual(before)
  }
})

test('an update of one item leaves the times of the others', async () => {
  const data = { type: 'custom_item', name: 'Ribbon', sku: 'ribbon', quantity: 1, price: { amount: 100 } }
  await world.admin.post(`${cart}/items`, { data })
  const timesOf = async (): Promise<readonly string[]> =>
    (await world.admin.get(`${cart}/items`)).body.data.map(
      ({ meta }: { meta: { timestamps: { updated_at: string } } }) => meta.timestamps.updated_at,
    )
  const before = await timesOf()
  clock.forward(60)
  await world.admin.put(`${cart}/items/${item}`, { data: { quantity: 4 } })
  const after = await timesOf()
  expect(after[1]).toBe(before[1])
  expect(after[0]).not.toBe(before[0])
})
