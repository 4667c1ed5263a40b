import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { filledCart, guestBody, openShop, wrap } from '../../builders/orders/buying.ts'
import { act, moneyOf, orderOf, paid, pay, takeManualPayments } from '../../builders/payments/paying.ts'
import type { Any } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let ids: Readonly<Record<string, string>>
beforeAll(async () => {
  world = await openWorld()
  ids = await openShop(world, { MUG: 1200 })
  await takeManualPayments(world.admin)
})
afterAll(() => world.close())

const refusal = ({ status, body }: Any) => [status, body.errors?.[0]?.detail]
const newOrder = async (total: number): Promise<string> => (await orderOf(world.shopper, total)).id

test('a guest pays an order that only the merchant can read', async () => {
  const id = await newOrder(10_000)
  const { status, body } = await pay(world.shopper, id, {
    paymentmethod_meta: { name: 'Gift card', custom_reference: 'GC-1' },
  })
  expect(status).toBe(200)
  const amount = { amount: 10_000, currency: 'USD', formatted: '$100.00' }
  const none = { amount: 0, currency: 'USD', formatted: '$0.00' }
  expect(body.data).toEqual({
    next_actions: ['refund'],
    ...{ type: 'transaction', id: expect.any(String), reference: 'manual', gateway: 'manual' },
    ...{ name: 'Gift card', custom_reference: 'GC-1', amount: 10_000, refunded_amount: 0, currency: 'USD' },
    ...{ transaction_type: 'purchase', 'transaction-type': 'purchase', status: 'complete' },
    relationships: { order: { data: { type: 'order', id } } },
    meta: {
      display_price: amount,
      display_refunded_amount: { total: none },
      timestamps: { created_at: expect.any(String), updated_at: expect.any(String) },
    },
  })
  expect((await world.shopper.get(`/v2/orders/${id}/transactions`)).status).toBe(403)
  const path = `/v2/orders/${id}/transactions`
  expect((await world.admin.get(path)).body.data).toEqual([body.data])
  expect((await world.admin.get(`${path}/${body.data.id}`)).body.data).toEqual(body.data)
  expect(await moneyOf(world.admin, id)).toEqual(['paid', 'complete', 10_000, 0, 0])
  const { timestamps } = (await world.admin.get(`/v2/orders/${id}`)).body.data.meta
  expect(timestamps.fully_paid_at).toMatch(/^.{19}Z$/)
})

test('an order is paid with two cards, captured, and refunded in parts', async () => {
  const id = await newOrder(10_000)
  const [shopper, admin] = [world.shopper, world.admin]
  const held = await paid(shopper, id, { method: 'authorize', amount: 4000 })
  expect(await moneyOf(admin, id)).toEqual(['partially_authorized', 'incomplete', 0, 4000, 6000])
  const received = await paid(shopper, id)
  expect(received.amount).toBe(6000)
  expect(await moneyOf(admin, id)).toEqual(['authorized', 'processing', 6000, 4000, 0])
  const captured = (await act(admin, held, 'capture')).body.data
  expect([captured.transaction_type, captured.amount, captured.capture_mechanism]).toEqual([
    'capture',
    4000,
    'manual',
  ])
  expect(await moneyOf(admin, id)).toEqual(['paid', 'complete', 10_000, 0, 0])
  const part = (await act(admin, received, 'refund', { amount: 1000 })).body.data
  expect([part.transaction_type, part.refunded_amount, part.refund_mechanism]).toEqual([
    'purchase',
    1000,
    'manual',
  ])
  expect(part.meta.display_refunded_amount.total.formatted).toBe('$10.00')
  expect((await act(admin, held, 'refund')).body.data).toMatchObject({
    transaction_type: 'refund',
    refunded_amount: 4000,
  })
  expect((await moneyOf(admin, id))[0]).toBe('paid')
  expect((await act(admin, received, 'refund')).body.data.refunded_amount).toBe(6000)
  expect(await moneyOf(admin, id)).toEqual(['refunded', 'complete', 10_000, 0, 0])
})

test('a capture replaces, removes or keeps the reference', async () => {
  const id = await newOrder(300)
  const hold = () =>
    paid(world.shopper, id, {
      method: 'authorize',
      amount: 100,
      paymentmethod_meta: { custom_reference: 'A' },
    })
  const capture = async (data?: object) =>
    (await act(world.admin, await hold(), 'capture', data)).body.data.custom_reference
  expect(await capture({ custom_reference: 'B' })).toBe('B')
  expect(await capture({ custom_reference: '' })).toBe(undefined)
  expect(await capture({ options: { note_to_payer: 'Thanks' } })).toBe('A')
})

test('an order that costs nothing is paid by a manual purchase', async () => {
  const id = await newOrder(0)
  expect(refusal(await pay(world.shopper, id, { method: 'authorize' }))[0]).toBe(422)
  expect((await paid(world.shopper, id)).amount).toBe(0)
  expect(await moneyOf(world.admin, id)).toEqual(['paid', 'complete', 0, 0, 0])
  expect((await pay(world.shopper, id)).status).toBe(409)
})

test('a confirm of a complete payment returns it unchanged', async () => {
  const id = await newOrder(500)
  const transaction = await paid(world.shopper, id)
  for (const data of [{}, { options: {} }, undefined]) {
    const { status, body } = await act(world.shopper, transaction, 'confirm', data)
    expect([status, body.data]).toEqual([200, transaction])
  }
})

test('wrong payments are refused with what would be accepted, and change nothing', async () => {
  const id = await newOrder(500)
  const refused: [data: object, status: number, detail: string | undefined][] = [
    [{ amount: 501 }, 400, 'data.amount must be from 1 to 500.'],
    [{ amount: 0 }, 400, 'data.amount must be from 1 to 500.'],
    [
      { method: 'purchase_setup' },
      422,
      'data.method must be one of these with the gateway manual: purchase, authorize.',
    ],
    [
      { gateway: 'adyen' },
      422,
      'Payments with adyen are not implemented. Use one of these gateways: manual, stripe, stripe_payment_intents, stripe_connect, elastic_path_payments_stripe.',
    ],
    [{ gateway: 'bitcoin' }, 400, expect.any(String) as never],
    [{ method: undefined }, 400, expect.any(String) as never],
    [{ amount: 1.5 }, 400, expect.any(String) as never],
  ]
  for (const [data, ...expected] of refused)
    expect(refusal(await pay(world.shopper, id, data))).toEqual(expected)
  expect((await world.admin.get(`/v2/orders/${id}/transactions`)).body.data).toEqual([])
  expect(await moneyOf(world.admin, id)).toEqual(['unpaid', 'incomplete', 0, 0, 500])
  for (const path of [randomUUID(), 'none']) expect((await pay(world.shopper, path)).status).toBe(404)
  expect((await pay(world.other, id)).status).toBe(404)
})

test('a disabled gateway takes no payments', async () => {
  const { id } = await orderOf(world.other, 100)
  expect(refusal(await pay(world.other, id))).toEqual([
    422,
    'The gateway manual is disabled. A merchant enables it with PUT /v2/gateways/manual.',
  ])
})

test('only the merchant captures, refunds and cancels, and a manual payment cannot be cancelled', async () => {
  const id = await newOrder(100)
  const held = await paid(world.shopper, id, { method: 'authorize' })
  for (const verb of ['capture', 'refund', 'cancel']) {
    expect((await act(world.shopper, held, verb)).status).toBe(403)
  }
  expect((await act(world.admin, held, 'refund')).status).toBe(422)
  const { status, body } = await act(world.admin, held, 'cancel', { reason: 'duplicate' })
  expect([status, body.errors[0].title]).toEqual([422, 'Unsupported gateway operation'])
  expect((await act(world.admin, held, 'capture')).status).toBe(200)
  expect((await act(world.admin, held, 'capture')).status).toBe(422)
  expect((await act(world.admin, { ...held, id: randomUUID() }, 'capture')).status).toBe(404)
})

test('a cancelled order takes no payment and no capture, and can be refunded', async () => {
  const id = await newOrder(1000)
  const part = await paid(world.shopper, id, { amount: 400 })
  const held = await paid(world.shopper, id, { amount: 300, method: 'authorize' })
  expect((await act(world.admin, part, 'refund', { amount: 1 })).status).toBe(422)
  const cancel = { data: { type: 'order', status: 'cancelled' } }
  expect((await world.admin.put(`/v2/orders/${id}`, cancel)).status).toBe(200)
  expect((await pay(world.shopper, id)).status).toBe(422)
  expect((await act(world.admin, held, 'capture')).status).toBe(422)
  expect((await act(world.admin, part, 'refund', { amount: 150 })).status).toBe(200)
  expect((await act(world.admin, part, 'refund', { amount: 251 })).status).toBe(400)
  expect((await world.admin.get(`/v2/orders/${id}`)).body.data.status).toBe('cancelled')
})

test('the first payment allocates stock, and a payment without stock is refused', async () => {
  const levels = async () => (await world.admin.get(`/v2/inventories/${ids.MUG}`)).body.data
  await world.admin.post(`/v2/inventories/${ids.MUG}`, { data: { type: 'stock', quantity: 3 } })
  const mugs = async (quantity: number) => {
    const cart = await filledCart(world.shopper, { type: 'cart_item', sku: 'MUG', quantity }, wrap())
    return (await world.shopper.post(`${cart}/checkout`, guestBody())).body.data.id as string
  }
  const [first, second] = [await mugs(2), await mugs(2)]
  expect((await levels()).allocated).toBe(0)
  await paid(world.shopper, first, { amount: 100, method: 'authorize' })
  expect((await levels()).allocated).toBe(2)
  await paid(world.shopper, first, { amount: 100 })
  expect((await levels()).allocated).toBe(2)
  const { status, body } = await pay(world.shopper, second)
  expect([status, body.errors[0].title]).toEqual([400, 'Insufficient stock'])
  expect((await world.admin.get(`/v2/orders/${second}/transactions`)).body.data).toEqual([])
  expect((await moneyOf(world.admin, second))[0]).toBe('unpaid')
})

test('the same Idempotency-Key pays once', async () => {
  const id = await newOrder(900)
  const key = { 'Idempotency-Key': randomUUID() }
  const send = () =>
    world.shopper.post(
      `/v2/orders/${id}/payments`,
      { data: { gateway: 'manual', method: 'purchase', amount: 300 } },
      key,
    )
  const replies = [await send(), await send()]
  expect(replies[1]?.body).toEqual(replies[0]?.body)
  expect(await moneyOf(world.admin, id)).toEqual(['partially_paid', 'incomplete', 300, 0, 600])
})
