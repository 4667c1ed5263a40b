import { afterAll, beforeAll, expect, test } from 'vitest'
import { carts } from '../../server/carts/cart/carts.ts'
import { listColumns } from '../../server/kernel/storage/stored-row.ts'
import { customDiscount } from '../builders/carts/custom-discounts.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const wrap = (texts: readonly string[]) => ({
  data: {
    ...{ type: 'custom_item', name: 'Wrap', sku: 'WRAP', quantity: 2, price: { amount: 1000 } },
    custom_inputs: { texts },
  },
})

test('a list shows a cart as a read of it does', async () => {
  const path = '/v2/carts/listed'
  const discount_settings = { custom_discounts_enabled: true, use_rule_promotions: false }
  await world.shopper.put(path, { data: { discount_settings } })
  await world.shopper.post(`${path}/items`, wrap([]))
  await world.shopper.post(`${path}/shipping-groups`, { data: { shipping_price: { base: 500 } } })
  const discount = customDiscount(-300)
  await world.admin.post(`${path}/custom-discounts`, { data: [discount] })
  const { body } = await world.admin.get('/v2/carts?filter=eq(id,listed)')
  expect(body.data[0].meta.display_price.with_tax.amount).toBe(1700)
  expect(body.data).toEqual([(await world.admin.get(path)).body.data])
  expect(body.included).toBeUndefined()
})

test('a list includes the custom discounts of its carts and of their items', async () => {
  const discount_settings = { custom_discounts_enabled: true, use_rule_promotions: false }
  const read: object[] = []
  for (const name of ['discounted-1', 'discounted-2']) {
    const path = `/v2/carts/${name}`
    await world.shopper.put(path, { data: { discount_settings } })
    const { body } = await world.shopper.post(`${path}/items`, wrap([]))
    const discount = customDiscount(-300, { external_id: name })
    await world.admin.post(`${path}/custom-discounts`, { data: [discount] })
    await world.admin.post(`${path}/items/${body.data[0].id}/custom-discounts`, { data: discount })
    read.push(...(await world.admin.get(`${path}?include=custom_discounts`)).body.included.custom_discounts)
  }
  expect(read).toHaveLength(4)
  const filter = 'filter=in(id,discounted-1,discounted-2)&sort=created_at'
  const { body } = await world.admin.get(`/v2/carts?include=custom_discounts&${filter}`)
  expect(body.included.custom_discounts).toEqual(read)
  const none = await world.admin.get('/v2/carts?include=custom_discounts&filter=eq(id,nobody-wrote)')
  expect([none.body.data, none.body.included]).toEqual([[], { custom_discounts: [] }])
})

test('a list reads no more of a cart with long texts than of another', async () => {
  const lengths = []
  for (const [id, texts] of [
    ['brief', ['x']],
    ['wordy', Array.from({ length: 3000 }, () => 'x'.repeat(250))],
  ] as const) {
    expect((await world.admin.post(`/v2/carts/${id}/items`, wrap(texts))).status).toBe(201)
    const columns = listColumns(carts, 'p.')
    const { rows } = await world.sql(
      `SELECT length(row(${columns})::text) AS length FROM carts p WHERE store_id = $1 AND reference = $2`,
      [world.storeId, id],
    )
    lengths.push(rows[0].length)
  }
  expect(lengths[1] - lengths[0]).toBeLessThan(10)
})
