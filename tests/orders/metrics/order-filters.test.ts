import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { filledCart, guestBody, openShop, order, wrap } from '../../builders/orders/buying.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let mug: string
let promotion: string
beforeAll(async () => {
  world = await openWorld()
  mug = (await openShop(world, { MUG: 700 })).MUG as string
  const sale = {
    ...{ type: 'promotion', name: 'Sale', description: 'A tenth off', promotion_type: 'percent_discount' },
    ...{ enabled: true, start: '2020-01-01', end: '2999-01-01' },
    schema: { currencies: [{ currency: 'USD', percentage: 10 }] },
  }
  promotion = (await world.admin.post('/v2/promotions', { data: sale })).body.data.id
  const codes = { type: 'promotion_codes', codes: [{ code: 'Tenth-Off' }] }
  await world.admin.post(`/v2/promotions/${promotion}/codes`, { data: codes })

  await order(world.admin, wrap())
  await order(world.admin, { type: 'cart_item', sku: 'MUG', quantity: 2 }, wrap())
  const cart = await filledCart(world.admin, wrap())
  await world.admin.post(`${cart}/items`, { data: { type: 'promotion_item', code: 'TENTH-OFF' } })
  expect((await world.admin.post(`${cart}/checkout`, guestBody())).status).toBe(201)
})
afterAll(() => world.close())

test.each([
  ['', [3, 1000 + 2400 + 900, 100]],
  ['contains(product_skus,WRAP)', [3, 4300, 100]],
  ['contains(product_skus,MUG)', [1, 2400, 0]],
  ['contains(product_skus,mug)', [0, 0, 0]],
  ['contains(promotion_codes,tenth-off)', [1, 900, 100]],
  ['contains(promotion_codes, Tenth-Off )', [1, 900, 100]],
  ['contains(promotion_codes,tenth)', [0, 0, 0]],
  ['contains(product_skus,MUG):contains(promotion_codes,tenth-off)', [0, 0, 0]],
  ['contains(product_skus,MUG)|contains(promotion_codes,tenth-off)', [2, 3300, 100]],
  [`contains(product_ids,${randomUUID()})`, [0, 0, 0]],
])('the filter %s selects whole orders', async (filter, sums) => {
  expect(await summary(filter)).toEqual(sums)
})

test('orders are found by a product or a promotion, in capitals too', async () => {
  for (const id of [mug, mug.toUpperCase()])
    expect(await summary(`contains(product_ids,${id})`)).toEqual([1, 2400, 0])
  expect(await summary(`contains(promotion_ids,${promotion})`)).toEqual([1, 900, 100])
})

async function summary(filter: string) {
  const period = { start_date: '2000-01-01', end_date: '2999-01-01', currency: 'USD' }
  const query = new URLSearchParams({ ...period, ...(filter && { filter }) })
  const { body } = await world.admin.get(`/v2/metrics/orders/summary?${query}`)
  return Object.values(body.data)
}
