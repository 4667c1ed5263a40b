import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../../support/world.ts'

// biome-ignore lint/suspicious/noExplicitAny: as for Reply.
type Any = any

let world: World
beforeAll(async () => {
  world = await openWorld()
  const euro = { type: 'currency', code: 'EUR', exchange_rate: 1, format: '€{price}' }
  const notation = { decimal_point: '.', thousand_separator: ',', decimal_places: 2 }
  const data = { ...euro, ...notation, default: false, enabled: true }
  expect((await world.admin.post('/v2/currencies', { data })).status).toBe(201)
})
afterAll(() => world.close())

let counter = 0
const newId = () => `merged-${++counter}`
const wrap = (sku: string, values: object = {}) => ({
  ...{ type: 'custom_item', name: 'Wrap', sku, quantity: 1, price: { amount: 100 } },
  ...values,
})
const inCurrency = (code: string) => ({ 'x-moltin-currency': code })
const add = (cart: string, data: unknown, { options, currency }: Any = {}) =>
  world.shopper.post(
    `/v2/carts/${cart}/items`,
    { data, ...(options && { options }) },
    currency && inCurrency(currency),
  )
const merge = (cart_id: string) => ({ type: 'cart_items', cart_id })
const skus = async (cart: string) =>
  (await world.shopper.get(`/v2/carts/${cart}/items`)).body.data.map(({ sku }: Any) => sku)

/** A cart with an item in a shipping group, and one without. */
async function cartWithGroup() {
  const id = newId()
  const data = { type: 'shipping_group', shipping_type: 'express' }
  const group = (await world.shopper.post(`/v2/carts/${id}/shipping-groups`, { data })).body.data.id
  const added = await add(id, [wrap('A', { shipping_group_id: group }), wrap('B')])
  return { id, group, item: added.body.data[0].id }
}

test('a merge lists each item that loses its shipping group', async () => {
  const [from, to] = [await cartWithGroup(), newId()]
  const { status, body } = await add(to, merge(from.id))
  expect(status).toBe(201)
  expect(body.data.map(({ sku, shipping_group_id: group }: Any) => [sku, group])).toEqual([
    ['A', undefined],
    ['B', undefined],
  ])
  expect(body.errors).toEqual([
    {
      ...{ title: 'Cart shipping group not found', status: '404', code: 'not_found' },
      detail: expect.stringContaining('without its shipping group'),
      source: 'data.cart_id',
      meta: { id: from.item, sku: 'A', shipping_group_id: from.group },
    },
  ])
})

test('with add_all_or_nothing, a merge that would lose a shipping group changes nothing', async () => {
  const [from, to] = [await cartWithGroup(), newId()]
  await add(to, wrap('C'))
  const { status, body } = await add(to, [merge(from.id)], { options: { add_all_or_nothing: true } })
  expect([status, body.errors.length, body.errors[0].source]).toEqual([404, 1, 'data.0.cart_id'])
  expect(await skus(to)).toEqual(['C'])
})

test('a merge into an empty cart takes over the currency, and one of another currency is refused', async () => {
  const [euros, dollars, empty] = [newId(), newId(), newId()]
  await add(euros, wrap('E'), { currency: 'EUR' })
  await add(dollars, wrap('D'))
  const merged = await add(empty, merge(euros))
  expect(merged.body.meta.display_price.with_tax).toMatchObject({ amount: 100, currency: 'EUR' })
  const { status, body } = await add(dollars, merge(euros))
  expect([status, body.errors[0].title, body.errors[0].source]).toEqual([
    ...[400, 'Cart Currency Mismatch', 'data.cart_id'],
  ])
  const both = await add(dollars, [wrap('F'), merge(euros)])
  expect([both.status, both.body.errors.length, await skus(dollars)]).toEqual([201, 1, ['D', 'F']])
})

test('an item or a shipping group in another currency than the cart is refused', async () => {
  const cart = newId()
  await add(cart, wrap('A'), { currency: 'eur' })
  const headers = inCurrency('USD')
  const groups = `/v2/carts/${cart}/shipping-groups`
  const data = { type: 'shipping_group' }
  const { id } = (await world.shopper.post(groups, { data })).body.data
  for (const reply of [
    await add(cart, wrap('B'), { currency: 'USD' }),
    await world.shopper.post(groups, { data }, headers),
    await world.shopper.put(`${groups}/${id}`, { data }, headers),
    await add(newId(), wrap('B'), { currency: 'XXX' }),
  ]) {
    expect([reply.status, reply.body.errors[0].title, reply.body.errors[0].source]).toEqual([
      ...[400, 'Cart Currency Mismatch', 'X-Moltin-Currency'],
    ])
  }
})

test('the prices of shipping groups keep the currency of a cart without items', async () => {
  const cart = newId()
  const price = { shipping_price: { base: 500 } }
  const data = { type: 'shipping_group', ...price }
  await world.shopper.post(`/v2/carts/${cart}/shipping-groups`, { data }, inCurrency('EUR'))
  const { status, body } = await add(cart, wrap('A'))
  expect([status, body.meta.display_price.with_tax.currency]).toEqual([201, 'EUR'])
})
