import assert from 'node:assert/strict'
import { expect, test } from 'vitest'
import { totalsCartOf } from '../../server/carts/pricing/totals-cart-of.ts'
import { totalCart } from '../../server/carts/totals/total-cart.ts'
import { contentsOfOrder, type OrderContents } from '../../server/orders/order/order-contents.ts'
import { promotionShop } from '../builders/carts/promotion-shop.ts'
import { guestBody } from '../builders/orders/buying.ts'

const its = promotionShop()

/** What an order without shipping costs, from its lines and the discounts that its contents have of the checkout. */
function totalOf({ contents, priced }: OrderContents) {
  // The shares name the lines of the cart, and are in the order of the lines.
  const shares = priced.lines.flatMap(({ discounts }, i) =>
    discounts.map((one) => ({ ...one, lineId: contents.lines[i]?.id as string })),
  )
  return totalCart(totalsCartOf(contents, 'line', { source: 'promotions', shares, shippingShares: [] }))
    .prices
}

test('what an order costs follows from its lines and the discounts of its checkout', async () => {
  await its.rule(its.percentOff(15))
  const cart = its.newCart()
  const { body } = await its.add(cart, [its.product('LOAF', 3), its.product('JAM', 7)])
  const [loaf, jam] = body.data
  const tax = (rate: number) => ({ data: { type: 'tax_item', name: 'VAT', rate } })
  await its.world.admin.post(`${cart}/items/${loaf.id}/taxes`, tax(0.0825))
  await its.world.admin.post(`${cart}/items/${jam.id}/taxes`, tax(0.19))
  const placed = await its.world.admin.post(`${cart}/checkout`, guestBody())
  assert.equal(placed.status, 201)
  const { id, meta } = placed.body.data
  // A promotion that ends changes nothing in the order, and its price is not asked for again.
  await its.rule(its.percentOff(50))
  const order = await contentsOfOrder(its.world.work.store, id)
  expect(totalOf(order)).toEqual(order.priced.prices)
  expect([order.priced.prices.with_tax, order.priced.prices.discount]).toEqual([
    meta.display_price.with_tax.amount,
    meta.display_price.discount.amount,
  ])
  expect(order.priced.prices.discount).toBe(-765)
})
