import { afterAll, beforeAll, expect, test } from 'vitest'
import { address, filledCart, order } from '../builders/orders/buying.ts'
import { password } from '../builders/people/accounts.ts'
import { customer, customers } from '../builders/people/customers.ts'
import type { Any } from '../support/requests.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const found = async (filter: string): Promise<readonly string[]> => {
  const { status, body } = await world.admin.get(`/v2/orders?filter=${encodeURIComponent(filter)}`)
  expect([filter, status, body.errors]).toEqual([filter, 200, undefined])
  expect(body.meta.results.total).toBe(body.data.length)
  return body.data.map(({ id }: Any) => id)
}

test('orders are found by the id of their customer, or by a part of it', async () => {
  const made = await world.admin.post(
    customers,
    customer({ name: 'Ada', email: 'ada@example.com', password }),
  )
  const { id } = made.body.data
  const cart = await filledCart(world.admin)
  const bought = await world.admin.post(`${cart}/checkout`, {
    data: { customer: { id }, billing_address: address, shipping_address: address },
  })
  const own = [bought.body.data.id]
  const guests = (await order(world.shopper)).id
  expect(await found(`eq(customer_id,${id})`)).toEqual(own)
  expect(await found(`eq(customer_id,${id.toUpperCase()})`)).toEqual(own)
  for (let length = 1; length <= id.length; length++) {
    expect(await found(`like(customer_id,${id.slice(0, length)}*)`)).toEqual(own)
    expect(await found(`like(customer_id,*${id.slice(-length)})`)).toEqual(own)
  }
  expect(await found(`like(customer_id,${id})`)).toEqual(own)
  expect(await found(`like(customer_id,*${id.slice(10, 20).toUpperCase()}*)`)).toEqual(own)
  expect(await found(`like(customer_id,${id.slice(1)}*)`)).toEqual([])
  expect(await found('like(customer_id,zebra*)')).toEqual([])
  expect(await found(`like(customer_id,${id}0*)`)).toEqual([])
  expect(await found('eq(customer_id,zebra)')).toEqual([])
  expect(await found('like(account_id,*)')).toEqual([])
  expect(await found('eq(customer.name,Ada):like(customer.email,ada@*)')).toEqual(own)
  expect(await found(`in(customer_id,${id},zebra)`)).toEqual(own)
  expect(await found('eq(email,ada@example.com)')).not.toHaveLength(0)
  expect((await found(`eq(id,${guests})`))[0]).toBe(guests)
})
