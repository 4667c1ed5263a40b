import { afterAll, beforeAll, expect, test } from 'vitest'
import { shownOfOrder } from '../../server/orders/order/shown-of-order.ts'
import { filledCart, guestBody, openShop } from '../builders/orders/buying.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true })
  await openShop(world, { MUG: 1200 })
})
afterAll(() => world.close())

test('the feed has the hidden values of an order that responses show, and no others', async () => {
  const [function_] = (await world.sql(`SELECT pg_get_functiondef('fed_of_order'::regproc) AS text`)).rows
  const recorded = /json_to_record\(\S*hidden\) h \(([^)]*)\)/.exec(function_.text)?.[1] ?? ''
  expect(recorded.match(/\w+(?= json)/g)).toEqual([...shownOfOrder])
  const cart = await filledCart(world.shopper, { type: 'cart_item', sku: 'MUG', quantity: 1 })
  const { id } = (await world.shopper.post(`${cart}/checkout`, guestBody())).body.data
  const { rows } = await world.feed(`SELECT hidden FROM changes WHERE source = 'orders' AND id = $1`, [id])
  for (const name of Object.keys(rows[0].hidden)) expect(shownOfOrder).toContain(name)
})
