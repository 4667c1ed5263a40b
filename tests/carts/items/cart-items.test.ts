import { afterAll, beforeAll, expect, test } from 'vitest'
import { shopOf } from '../../builders/shop/publishing.ts'
import { openWorld, type World } from '../../support/world.ts'

// biome-ignore lint/suspicious/noExplicitAny: as for Reply.
type Any = any

let world: World
let loaf: string
let rye: string
let bundle: string
beforeAll(async () => {
  world = await openWorld()
  const shop = shopOf(world)
  const hierarchy = await shop.hierarchy()
  const node = await shop.node(hierarchy)
  loaf = await shop.product({ sku: 'LOAF', name: 'Loaf' })
  rye = await shop.product({ sku: 'RYE', name: 'Rye' })
  const options = [{ type: 'product', id: rye, quantity: 2, default: true }]
  const components = { bread: { name: 'Bread', options, min: 1, max: 1 } }
  bundle = await shop.product({ sku: 'BASKET', name: 'Basket', components })
  await shop.put(hierarchy, node, loaf, rye, bundle)
  const attributes = { name: 'Prices' }
  const book = (await shop.send('POST', '/pcm/pricebooks', { type: 'pricebook', attributes }, 201)).id
  const tiers = { ten: { minimum_quantity: 10, amount: 400 } }
  for (const [sku, amount, more] of [
    ['LOAF', 500, { tiers }],
    ['RYE', 300, {}],
    ['BASKET', 550, {}],
  ] as const) {
    const currencies = { USD: { amount, includes_tax: false, ...more } }
    const price = { type: 'product-price', attributes: { sku, currencies } }
    await shop.send('POST', `/pcm/pricebooks/${book}/prices`, price, 201)
  }
  await shop.publish(await shop.catalog([hierarchy], { pricebook_id: book }))
})
afterAll(() => world.close())

let counter = 0
const newCart = () => `/v2/carts/cart-${++counter}`
const add = (cart: string, data: unknown, options?: object) =>
  world.shopper.post(`${cart}/items`, { data, ...(options && { options }) })
const product = (values: object) => ({ type: 'cart_item', quantity: 1, ...values })
const wrap = (values: object = {}) => ({
  ...{ type: 'custom_item', name: 'Wrap', sku: 'WRAP', quantity: 1, price: { amount: 100 } },
  ...values,
})
const lines = ({ body }: { body: Any }) =>
  body.data.map(({ sku, quantity, unit_price, value }: Any) => [
    sku,
    quantity,
    unit_price.amount,
    value.amount,
  ])

test('a product is added by its id or SKU, at the price of its quantity', async () => {
  const cart = newCart()
  expect(lines(await add(cart, product({ id: loaf, quantity: 2 })))).toEqual([['LOAF', 2, 500, 1000]])
  expect(lines(await add(cart, product({ sku: 'LOAF', quantity: 7 })))).toEqual([['LOAF', 9, 500, 4500]])
  const third = await add(cart, product({ id: loaf, quantity: 1 }))
  expect([third.status, lines(third)]).toEqual([201, [['LOAF', 10, 400, 4000]]])
  expect(third.body.meta.display_price.with_tax).toEqual({
    amount: 4000,
    currency: 'USD',
    formatted: '$40.00',
  })
})

test('items with different inputs stay apart, and those with the same become one', async () => {
  const cart = newCart()
  for (const text of ['Ada', 'Ben', 'Ada']) await add(cart, product({ id: rye, custom_inputs: { text } }))
  const { body } = await world.shopper.get(`${cart}/items`)
  expect(body.data.map(({ custom_inputs, quantity }: Any) => [custom_inputs.text, quantity])).toEqual([
    ['Ada', 2],
    ['Ben', 1],
  ])
})

test('a custom item with the same SKU keeps the first name and price', async () => {
  const cart = newCart()
  await add(cart, wrap())
  const { body } = await add(cart, [
    wrap({ name: 'Other', price: { amount: 999 } }),
    wrap({ sku: '' }),
    wrap({ sku: '' }),
  ])
  expect(body.data.map(({ name, quantity, value }: Any) => [name, quantity, value.amount])).toEqual([
    ['Wrap', 2, 200],
    ['Wrap', 1, 100],
    ['Wrap', 1, 100],
  ])
})

test('a bundle shows the options that were selected', async () => {
  const { body } = await add(newCart(), product({ id: bundle }))
  expect(body.data[0]).toMatchObject({
    sku: 'BASKET',
    bundle_configuration: { selected_options: { bread: { [rye]: 2 } } },
    components: { bread: { name: 'Bread', options: [{ id: rye, type: 'product', quantity: 2 }] } },
  })
})

test('a bundle shows its selected products where the request includes them', async () => {
  const cart = newCart()
  const query = 'include=component_products'
  const of = ({ body }: { body: Any }) =>
    body.data.map(({ sku, bundle_configuration: bundled }: Any) => [sku, bundled?.component_products])
  await add(cart, product({ id: loaf }))
  const rolls = expect.objectContaining({
    ...{ type: 'product', id: rye },
    attributes: expect.objectContaining({ sku: 'RYE', name: 'Rye', slug: expect.any(String) }),
    meta: expect.objectContaining({
      display_price: {
        without_tax: expect.objectContaining({ amount: 300, currency: 'USD', formatted: '$3.00' }),
      },
    }),
  })
  const both = [
    ['LOAF', undefined],
    ['BASKET', [rolls]],
  ]
  const added = await world.shopper.post(`${cart}/items?${query}`, { data: product({ id: bundle }) })
  expect(of(added)).toEqual(both)
  const { id } = added.body.data[1]
  expect(of(await world.shopper.put(`${cart}/items/${id}?${query}`, { data: { quantity: 2 } }))).toEqual(both)
  expect(of(await world.shopper.get(`${cart}/items?${query}`))).toEqual(both)
  const { included } = (await world.shopper.get(`${cart}?include=items&${query}`)).body
  expect([Object.keys(included), of({ body: { data: included.items } })]).toEqual([['items'], both])
  expect(of(await world.shopper.get(`${cart}/items`))[1]).toEqual(['BASKET', undefined])
})

test('of many items those that can be added are, unless all or none are asked for', async () => {
  const items = [product({ sku: 'LOAF' }), product({ sku: 'NONE' }), wrap()]
  const some = await add(newCart(), items)
  expect([some.status, lines(some).length]).toEqual([201, 2])
  expect(some.body.errors).toMatchObject([
    { status: '404', title: 'Product not found', source: 'data.1', meta: { sku: 'NONE' } },
  ])
  const cart = newCart()
  const none = await add(cart, items, { add_all_or_nothing: true })
  expect([none.status, none.body.data]).toEqual([404, undefined])
  expect((await world.shopper.get(`${cart}/items`)).body.data).toEqual([])
})

test('an add checks the stock of what it adds, and an update that of the line', async () => {
  await world.admin.post(`/v2/inventories/${rye}`, { data: { quantity: 10 } })
  const cart = newCart()
  const statuses = [
    (await add(cart, product({ id: rye, quantity: 6 }))).status,
    (await add(cart, product({ id: rye, quantity: 6 }))).status,
    (await add(cart, product({ id: rye, quantity: 11 }))).status,
  ]
  expect(statuses).toEqual([201, 201, 400])
  const { id } = (await world.shopper.get(`${cart}/items`)).body.data[0]
  const update = await world.shopper.put(`${cart}/items/${id}`, { data: { quantity: 11 } })
  expect([update.status, update.body.errors[0].title]).toEqual([400, 'Insufficient stock'])
  expect((await world.shopper.put(`${cart}/items/${id}`, { data: { quantity: 10 } })).status).toBe(200)
})

test('a quantity of 0 removes an item, and others keep their place', async () => {
  const cart = newCart()
  const { body } = await add(
    cart,
    ['A', 'B', 'C'].map((sku) => wrap({ sku })),
  )
  const [first, second] = body.data.map(({ id }: Any) => id)
  await world.shopper.put(`${cart}/items`, {
    data: [
      { id: first, quantity: 5 },
      { id: second, quantity: 0 },
    ],
  })
  const left = await world.shopper.get(`${cart}/items`)
  expect(left.body.data.map(({ sku, quantity }: Any) => [sku, quantity])).toEqual([
    ['A', 5],
    ['C', 1],
  ])
})

test('a merge copies the items of another cart, which stays as it is', async () => {
  const [from, to] = [newCart(), newCart()]
  await add(from, [product({ id: loaf, quantity: 3 }), wrap()])
  await add(to, wrap())
  const merged = await add(to, { type: 'cart_items', cart_id: from.split('/').at(-1) })
  expect(lines(merged)).toEqual([
    ['WRAP', 2, 100, 200],
    ['LOAF', 3, 500, 1500],
  ])
  expect((await world.shopper.get(`${from}/items`)).body.data).toHaveLength(2)
})

test('100 adds at once leave 100 items and the right total', async () => {
  const cart = newCart()
  const replies = await Promise.all(Array.from({ length: 100 }, (_, i) => add(cart, wrap({ sku: `W${i}` }))))
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201))
  const { body } = await world.shopper.get(`${cart}/items`)
  expect([body.data.length, body.meta.display_price.with_tax.amount]).toEqual([100, 10_000])
  const more = await add(cart, wrap({ sku: 'one-more' }))
  expect([more.status, more.body.errors[0].title]).toEqual([422, 'Limit Reached'])
})

test('a price that changes is shown at once, and changes neither the version nor the times of the cart', async () => {
  const cart = newCart()
  await add(cart, product({ id: loaf }))
  const before = await world.shopper.get(cart)
  await world.admin.put('/v2/settings', { data: { type: 'settings', calculation_method: 'simple' } })
  const after = await world.shopper.get(cart)
  expect(after.body.data.meta.timestamps).toEqual(before.body.data.meta.timestamps)
  await world.admin.put('/v2/settings', { data: { type: 'settings', calculation_method: 'line' } })
})

test('an item is found by its id in capitals, as all objects are', async () => {
  const cart = newCart()
  const { body } = await add(cart, wrap())
  const id = body.data[0].id.toUpperCase()
  const taxes = `${cart}/items/${id}/taxes`
  const tax = { type: 'tax_item', name: 'VAT', rate: 0.2 }
  expect((await world.shopper.put(`${cart}/items/${id}`, { data: { quantity: 2 } })).status).toBe(200)
  const changed = await world.shopper.put(`${cart}/items`, { data: [{ id, quantity: 3 }] })
  expect([changed.status, lines(changed)]).toEqual([200, [['WRAP', 3, 100, 300]]])
  expect((await world.admin.post(taxes, { data: tax })).status).toBe(201)
  expect((await world.shopper.delete(`${cart}/items/${id}`)).body.data).toEqual([])
})
