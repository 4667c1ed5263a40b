import { afterAll, beforeAll, expect, test } from 'vitest'
import { address, guest } from '../../builders/orders/buying.ts'
import { paid, takeManualPayments } from '../../builders/payments/paying.ts'
import { cards, charged, openStripeShop, type StripeShop } from '../../builders/payments/stripe-shop.ts'

/** What becomes of the money of an entered order that is deleted, or that is not. */
let shop: StripeShop
beforeAll(async () => {
  shop = await openStripeShop()
  await takeManualPayments(shop.world.admin)
})
afterAll(() => shop.close())

const items = [{ type: 'custom_item', name: 'Mug', sku: 'MUG', quantity: 2, unit_price: { amount: 500 } }]
async function entered(data: object = {}) {
  const { status, body } = await shop.world.admin.post('/v2/orders', {
    data: { type: 'order', customer: guest, billing_address: address, ...data },
    included: { items },
  })
  expect([status, body.errors]).toEqual([201, undefined])
  return { ...body.data, path: `/v2/orders/${body.data.id}` }
}

test('an entered order with a payment at another gateway is not deleted, and keeps it', async () => {
  const { admin } = shop.world
  const one = await entered()
  await charged(admin, one.id, { payment: cards.pays, amount: 300 })
  const { status, body } = await admin.delete(one.path)
  expect([status, body.errors[0].title]).toEqual([422, 'Order cannot be deleted'])
  expect(body.errors[0].detail).toContain('stripe_payment_intents')
  const { data } = (await admin.get(one.path)).body
  expect([data.payment, data.meta.display_price.paid.amount]).toEqual(['partially_paid', 300])
})

test('a payment that was recorded by hand goes with its order', async () => {
  const { admin, sql, storeId } = shop.world
  const one = await entered()
  await paid(admin, one.id)
  expect((await admin.delete(one.path)).status).toBe(204)
  const { rows } = await sql('SELECT 1 FROM order_transactions WHERE store_id = $1 AND order_id = $2', [
    storeId,
    one.id,
  ])
  expect(rows).toEqual([])
})

test('an order that was changed since the caller read it is not deleted', async () => {
  const { admin } = shop.world
  const one = await entered()
  const { headers } = await admin.get(one.path)
  const etag = headers.get('etag') ?? ''
  await admin.put(one.path, { data: { type: 'order', order_number: 'A-7' } })
  expect((await admin.delete(one.path, { 'if-match': etag })).status).toBe(412)
  const current = (await admin.get(one.path)).headers.get('etag') ?? ''
  expect((await admin.delete(one.path, { 'if-match': current })).status).toBe(204)
})

test('of a payment and a deletion at once, no money is left without its order', async () => {
  const { admin, sql, storeId } = shop.world
  const one = await entered()
  const data = { gateway: 'manual', method: 'purchase' }
  const [removal, payment] = await Promise.all([
    admin.delete(one.path),
    admin.post(`${one.path}/payments`, { data }),
  ])
  expect([removal.status, [200, 404].includes(payment.status)]).toEqual([204, true])
  const { rows } = await sql('SELECT 1 FROM order_transactions WHERE store_id = $1 AND order_id = $2', [
    storeId,
    one.id,
  ])
  expect(rows).toEqual([])
})
