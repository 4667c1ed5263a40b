import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { address, guest, order } from '../../builders/orders/buying.ts'
import { act, moneyOf, paid, takeManualPayments } from '../../builders/payments/paying.ts'
import type { Any } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
  await takeManualPayments(world.admin)
})
afterAll(() => world.close())

const mug = { type: 'order_item', product_id: randomUUID(), name: 'Mug', sku: 'MUG', quantity: 3 }
const items = [
  { ...mug, unit_price: { amount: 333, currency: 'USD', includes_tax: false }, meta: tax(100) },
  { type: 'custom_item', name: 'Wrap', sku: 'WRAP', quantity: 1, unit_price: { amount: 1 } },
]
function tax(amount: number) {
  return { display_price: { tax: { value: { amount, currency: 'USD' } } } }
}
const send = (data: object = {}, included: unknown = { items }) =>
  world.admin.post('/v2/orders', {
    data: { type: 'order', customer: guest, billing_address: address, ...data },
    included,
  })
async function created(data?: object, included?: unknown): Promise<Any> {
  const { status, body } = await send(data, included)
  expect([status, body.errors]).toEqual([201, undefined])
  return body.data
}
const totals = (amounts: object) => ({
  meta: {
    display_price: Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, { amount }])),
  },
})
const display = ({ meta }: Any): Any =>
  Object.fromEntries(Object.entries(meta.display_price).map(([name, price]) => [name, (price as Any).amount]))

test('a seller enters an order with its items, and the totals follow from them', async () => {
  const { body } = await send({ order_number: 'P-1', external_ref: 'erp-9' })
  const { data, included } = body
  expect(data).toMatchObject({
    ...{ type: 'order', status: 'incomplete', payment: 'unpaid', shipping: 'unfulfilled' },
    ...{ order_number: 'P-1', external_ref: 'erp-9', customer: guest },
    ...{ billing_address: address, shipping_address: address, meta: { is_manual: true } },
  })
  expect(display(data)).toEqual({
    ...{ with_tax: 1100, without_tax: 1000, tax: 100, discount: 0, without_discount: 1000 },
    ...{ shipping: 0, shipping_discount: 0, balance_owing: 1100, paid: 0, authorized: 0 },
  })
  expect(included.items).toMatchObject([
    { type: 'order_item', product_id: mug.product_id, sku: 'MUG', quantity: 3, value: { amount: 999 } },
    { type: 'custom_item', name: 'Wrap', value: { amount: 1 } },
  ])
  expect(included.items[0].meta.display_price).toMatchObject({
    with_tax: { value: { amount: 1099 }, unit: { amount: 366 } },
    without_tax: { value: { amount: 999 } },
    tax: { value: { amount: 100, formatted: '$1.00' } },
  })
  const path = `/v2/orders/${data.id}`
  const read = await world.admin.get(`${path}?include=items`)
  expect(read.body).toEqual({ data, included })
  expect((await world.admin.get(`${path}/items`)).body.data).toEqual(included.items)
})

test('sent totals count, and the others follow from them', async () => {
  const sent = totals({ with_tax: 1500, tax: 120, shipping: 400, discount: -7 })
  expect(display(await created(sent))).toEqual({
    ...{ with_tax: 1500, without_tax: 1380, tax: 120, discount: -7, without_discount: 1400 },
    ...{ shipping: 400, shipping_discount: 0, balance_owing: 1500, paid: 0, authorized: 0 },
  })
  const withoutItems = await created(totals({ with_tax: 90 }), {})
  expect(display(withoutItems)).toMatchObject({ with_tax: 90, without_tax: 90, tax: 0 })
})

test('an amount without tax that is sent before its discount is less by that discount', async () => {
  const both = (unit: number) => ({ unit: { amount: unit }, value: { amount: 2 * unit } })
  const display_price = {
    ...{ with_tax: both(800), without_tax: both(900), tax: both(0) },
    ...{ discount: both(-100), without_discount: both(900) },
  }
  const item = { ...mug, quantity: 2, unit_price: { amount: 900 }, meta: { display_price } }
  const sent = totals({ with_tax: 1610, without_tax: 1800, tax: 10, discount: -200 })
  const { body } = await send(sent, { items: [item] })
  expect(display(body.data)).toMatchObject({ with_tax: 1610, without_tax: 1600, tax: 10, discount: -200 })
  expect(body.included.items[0].meta.display_price).toMatchObject({
    with_tax: { unit: { amount: 800 }, value: { amount: 1600 } },
    without_tax: { unit: { amount: 800 }, value: { amount: 1600 } },
    without_discount: { unit: { amount: 900 }, value: { amount: 1800 } },
  })
})

test.each([
  ['paid', {}, ['paid', 'complete', 1100, 0, 0]],
  ['refunded', {}, ['refunded', 'complete', 1100, 0, 0]],
  ['authorized', {}, ['authorized', 'processing', 0, 1100, 0]],
  ['partially_paid', { paid: 100 }, ['partially_paid', 'incomplete', 100, 0, 1000]],
  ['partially_authorized', { authorized: 100 }, ['partially_authorized', 'incomplete', 0, 100, 1000]],
  ['unpaid', { balance_owing: 1100 }, ['unpaid', 'incomplete', 0, 0, 1100]],
])('an order is entered as %s, and its payment says so', async (payment, amounts, money) => {
  const { id } = await created({ payment, ...totals(amounts) })
  expect(await moneyOf(world.admin, id)).toEqual(money)
  const { body } = await world.admin.get(`/v2/orders/${id}/transactions`)
  expect(body.data.map(({ gateway }: Any) => gateway)).toEqual(payment === 'unpaid' ? [] : ['manual'])
})

test('an entered order is paid, captured, refunded, fulfilled and cancelled like any other', async () => {
  const held = await created({ payment: 'authorized' })
  const [transaction] = (await world.admin.get(`/v2/orders/${held.id}/transactions`)).body.data
  await act(world.admin, transaction, 'capture')
  expect((await moneyOf(world.admin, held.id))[0]).toBe('paid')
  const put = (id: string, data: object) =>
    world.admin.put(`/v2/orders/${id}`, { data: { type: 'order', ...data } })
  expect((await put(held.id, { shipping: 'fulfilled' })).body.data.shipping).toBe('fulfilled')
  expect((await act(world.admin, transaction, 'refund')).status).toBe(200)

  const open = await created()
  await paid(world.shopper, open.id, { amount: 600, method: 'authorize' })
  expect((await put(open.id, { status: 'cancelled' })).body.data).toMatchObject({
    status: 'cancelled',
    payment: 'unpaid',
  })
  const past = await created({ status: 'cancelled', payment: 'paid' })
  expect([past.status, past.payment]).toEqual(['cancelled', 'paid'])
  const shipped = await created({ shipping: 'fulfilled', payment: 'unpaid' })
  expect(shipped.shipping).toBe('fulfilled')
})

test.each([
  ['authorized', {}, 1100, ['unpaid', 'cancelled', 0, 0, 1100]],
  ['authorized', { authorized: 1100, balance_owing: 0 }, 1100, ['unpaid', 'cancelled', 0, 0, 1100]],
  ['partially_authorized', { authorized: 100 }, 100, ['unpaid', 'cancelled', 0, 0, 1100]],
])(
  'an order that is entered as cancelled holds no money (%s, %j)',
  async (payment, amounts, amount, money) => {
    const { id } = await created({ payment, status: 'cancelled', ...totals(amounts) })
    expect(await moneyOf(world.admin, id)).toEqual(money)
    const { body } = await world.admin.get(`/v2/orders/${id}/transactions`)
    expect(body.data).toMatchObject([{ transaction_type: 'authorize', status: 'cancelled', amount }])
    expect(body.data[0].next_actions).toEqual([])
  },
)

test('an order that is entered as cancelled keeps the money that was paid', async () => {
  const { id } = await created({ payment: 'partially_paid', status: 'cancelled', ...totals({ paid: 100 }) })
  expect(await moneyOf(world.admin, id)).toEqual(['partially_paid', 'cancelled', 100, 0, 1000])
})

test('the list is filtered by whether orders were entered', async () => {
  const manual = await created()
  const bought = await order(world.shopper)
  const found = async (value: boolean): Promise<string[]> =>
    (await world.admin.get(`/v2/orders?filter=eq(manual,${value})&page[limit]=100`)).body.data.map(
      ({ id }: Any) => id,
    )
  const [yes, no] = [await found(true), await found(false)]
  expect([yes.includes(manual.id), yes.includes(bought.id)]).toEqual([true, false])
  expect([no.includes(manual.id), no.includes(bought.id)]).toEqual([false, true])
  const { body } = await world.admin.get(`/v2/orders/${bought.id}`)
  expect(body.data.meta.is_manual).toBe(undefined)
})

test('an entered order is deleted with its payments; any other is refused', async () => {
  const { id } = await created({ payment: 'paid' })
  const path = `/v2/orders/${id}`
  expect((await world.shopper.delete(path)).status).toBe(403)
  expect((await world.other.delete(path)).status).toBe(404)
  expect((await world.admin.delete(path)).status).toBe(204)
  expect((await world.admin.get(path)).status).toBe(404)
  expect((await world.admin.delete(path)).status).toBe(404)
  const bought = await order(world.shopper)
  const { status, body } = await world.admin.delete(`/v2/orders/${bought.id}`)
  expect([status, body.errors[0].title]).toEqual([422, 'Order cannot be deleted'])
})

test('a seller chooses the id, once', async () => {
  const id = randomUUID()
  expect((await created({ id })).id).toBe(id)
  const replies = await Promise.all([send({ id: id.toUpperCase() }), send({ id })])
  expect(replies.map(({ status, body }) => [status, body.errors[0].source])).toEqual([
    [409, 'data.id'],
    [409, 'data.id'],
  ])
  const both = randomUUID()
  const racing = await Promise.all([send({ id: both }), send({ id: both })])
  expect(racing.map(({ status }) => status).sort()).toEqual([201, 409])
})

test('a customer who is not in the store keeps their id', async () => {
  const id = randomUUID()
  const data = await created({ customer: { id, ...guest } })
  expect([data.customer, data.relationships.customer.data.id]).toEqual([guest, id])
  const { status, body } = await send({ customer: { id } })
  expect([status, body.errors[0].source]).toEqual([404, 'data.customer.id'])
})

test.each([
  [{ customer: undefined }, undefined, 400, 'data.customer'],
  [{ status: 'complete' }, undefined, 400, 'data.status'],
  [{ payment: 'paid', ...totals({ paid: 7 }) }, undefined, 400, 'data.meta.display_price.paid.amount'],
  [{ payment: 'partially_paid' }, undefined, 400, 'data.meta.display_price.paid.amount'],
  [
    { payment: 'partially_paid', ...totals({ paid: 1100 }) },
    undefined,
    400,
    'data.meta.display_price.paid.amount',
  ],
  [
    { payment: 'partially_authorized', ...totals({ authorized: 0 }) },
    undefined,
    400,
    'data.meta.display_price.authorized.amount',
  ],
  [
    totals({ with_tax: 5, without_tax: 4, tax: 2 }),
    undefined,
    400,
    'data.meta.display_price.with_tax.amount',
  ],
  [totals({ with_tax: 5 }), undefined, 400, 'data.meta.display_price.without_tax.amount'],
  [
    totals({ with_tax: 8, without_tax: 10, tax: 0, discount: -1 }),
    undefined,
    400,
    'data.meta.display_price.with_tax.amount',
  ],
  [totals({ discount: 5 }), undefined, 400, 'data.meta.display_price.discount.amount'],
  [{ payment: 'maybe' }, undefined, 400, 'data.payment'],
  [{ id: 'A-1' }, undefined, 400, 'data.id'],
  [{ shipping: 'fulfilled', status: 'cancelled' }, undefined, 422, 'data.status'],
  [{}, { items: {} }, 400, 'included.items'],
  [{}, { items: [{ ...mug, quantity: 0 }] }, 400, 'included.items.0.quantity'],
  [{}, { items: [{ ...mug, name: undefined }] }, 400, 'included.items.0.name'],
  [{}, [], 400, 'included'],
  [{}, { items: [{ ...mug, unit_price: { amount: 1, currency: 'CHF' } }] }, 400, 'data.meta.display_price'],
  [
    {},
    {
      items: [{ ...mug, unit_price: { amount: 1, currency: 'EUR' }, value: { amount: 3, currency: 'USD' } }],
    },
    400,
    'data.meta.display_price',
  ],
  [{}, { items: [{ ...mug, unit_price: { amount: Number.MAX_SAFE_INTEGER } }] }, 422, undefined],
])('%j with %j is refused and leaves nothing', async (data, included, status, source) => {
  const total = async () => (await world.admin.get('/v2/orders?page[limit]=1')).body.meta.results.total
  const before = await total()
  const reply = await send(data, included ?? { items })
  expect([reply.status, reply.body.errors[0].source]).toEqual([status, source])
  expect(await total()).toBe(before)
})

test('only sellers enter orders', async () => {
  const { status } = await world.shopper.post('/v2/orders', { data: { type: 'order', customer: guest } })
  expect(status).toBe(403)
})
