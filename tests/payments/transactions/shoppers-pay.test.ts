import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { act, moneyOf, orderOf, paid, pay } from '../../builders/payments/paying.ts'
import { openWorld, type World } from '../../support/world.ts'

/** Who may say that an order was paid by hand. */

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const change = async (data: object) => {
  const { status, body } = await world.admin.put('/v2/gateways/manual', { data })
  expect(status).toBe(200)
  return body.data.shoppers_may_pay
}
beforeEach(() => change({ enabled: true, shoppers_may_pay: false }))

test.each([
  ['purchase', {}],
  ['authorize', {}],
  ['purchase', { amount: 1 }],
  ['purchase', { amount: 5000 }],
])("a shopper's %s by hand is refused (%j)", async (method, more) => {
  const { id } = await orderOf(world.shopper, 1000)
  const { status, body } = await pay(world.shopper, id, { method, ...more })
  expect([status, body.errors[0].source]).toEqual([403, 'data.gateway'])
  expect(body.errors[0].detail).toContain('shoppers_may_pay')
  expect(await moneyOf(world.admin, id)).toEqual(['unpaid', 'incomplete', 0, 0, 1000])
  const { body: list } = await world.admin.get(`/v2/orders/${id}/transactions`)
  expect(list.data).toEqual([])
})

test('a dry run refuses it as well', async () => {
  const { id } = await orderOf(world.shopper, 1000)
  const data = { gateway: 'manual', method: 'purchase' }
  const reply = await world.shopper.post(`/v2/orders/${id}/payments`, { data }, { Prefer: 'dry-run' })
  expect(reply.status).toBe(403)
})

test('a seller takes payments by hand', async () => {
  const { id } = await orderOf(world.shopper, 1000)
  const held = await paid(world.admin, id, { method: 'authorize' })
  expect((await act(world.shopper, held, 'capture')).status).toBe(403)
  expect((await act(world.admin, held, 'capture')).status).toBe(200)
})

test('an order that costs nothing is paid by its shopper', async () => {
  const { id } = await orderOf(world.shopper, 0)
  expect((await paid(world.shopper, id)).status).toBe('complete')
})

test('a merchant lets shoppers pay by hand, and other changes keep that', async () => {
  expect(await change({ shoppers_may_pay: true })).toBe(true)
  expect(await change({ enabled: true })).toBe(true)
  const { id } = await orderOf(world.shopper, 1000)
  expect((await paid(world.shopper, id)).status).toBe('complete')
})

test('the setting is one of the manual gateway only', async () => {
  const { body } = await world.admin.put('/v2/gateways/stripe', { data: { shoppers_may_pay: true } })
  expect(body.data.shoppers_may_pay).toBe(undefined)
})
