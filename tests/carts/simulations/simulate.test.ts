import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

test('a simulation says what a promotion that is not enabled would take off, and changes nothing', async () => {
  const rule_set = {
    rules: { strategy: 'cart_total', operator: 'gte', args: [1000] },
    actions: [{ strategy: 'cart_discount', args: ['percent', 10] }],
  }
  const period = { start: '2090-01-01T00:00:00Z', end: '2091-01-01T00:00:00Z' }
  const data = { type: 'rule_promotion', name: 'Spring', ...period, rule_set }
  const { id } = (await world.admin.post('/v2/rule-promotions', { data })).body.data
  const discount_settings = { use_rule_promotions: true, custom_discounts_enabled: false }
  const cart = (await world.admin.post('/v2/carts', { data: { name: 'One', discount_settings } })).body.data
    .id
  const simulate = async () => {
    const reply = await world.admin.post(`/v2/rule-promotions/${id}/simulate`, { data: { cart_id: cart } })
    expect(reply.status).toBe(200)
    return reply.body.data
  }
  expect((await simulate()).verdict).toMatchObject({
    ...{ verdict: 'condition_unmet', node: 'rules', needs: [1000], has: 0 },
    detail: 'The cart does not meet the condition rules, cart_total (needed: gte [1000]; the cart has 0).',
  })
  const item = { type: 'custom_item', name: 'Wrap', sku: 'WRAP', quantity: 3, price: { amount: 500 } }
  const before = await world.admin.post(`/v2/carts/${cart}/items`, { data: item })
  const { verdict, items, display_price: price } = await simulate()
  expect(verdict).toMatchObject({ verdict: 'applied', amount: -150 })
  expect(items).toEqual([{ id: before.body.data[0].id, sku: 'WRAP', quantity: 3, amount: -150 }])
  expect([price.without.with_tax.amount, price.with.with_tax.amount]).toEqual([1500, 1350])
  const after = await world.admin.get(`/v2/carts/${cart}/items`)
  expect(after.body.data).toEqual(before.body.data)
})

test('a simulation of an unknown promotion is a 404, and one by a shopper a 403', async () => {
  const path = '/v2/promotions/11111111-1111-4111-8111-111111111111/simulate'
  const body = { data: { cart_id: 'any' } }
  expect((await world.admin.post(path, body)).status).toBe(404)
  expect((await world.shopper.post(path, body)).status).toBe(403)
})
