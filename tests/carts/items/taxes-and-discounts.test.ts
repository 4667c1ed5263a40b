import { afterAll, beforeAll, expect, test } from 'vitest'
import { itemPath } from '../../builders/carts/cart-samples.ts'
import { customDiscount } from '../../builders/carts/custom-discounts.ts'
import { openWorld, type World } from '../../support/world.ts'

// biome-ignore lint/suspicious/noExplicitAny: as for Reply.
type Any = any

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const wrap = (values: object = {}) => ({
  ...{ type: 'custom_item', name: 'Wrap', quantity: 1, price: { amount: 1000 } },
  ...values,
})
let counter = 0
const newCart = async (items: readonly object[], custom = false) => {
  const id = `taxed-${++counter}`
  const discount_settings = { custom_discounts_enabled: custom, use_rule_promotions: false }
  await world.admin.post('/v2/carts', { data: { id, discount_settings } })
  const { body } = await world.admin.post(`/v2/carts/${id}/items`, { data: items })
  return { path: `/v2/carts/${id}`, ids: body.data.map((one: Any) => one.id) as string[] }
}
const totalsOf = async (path: string) => {
  const { display_price } = (await world.admin.get(path)).body.data.meta
  return Object.fromEntries(Object.entries<Any>(display_price).map(([name, { amount }]) => [name, amount]))
}
const exclusive = (amount: number) => ({ amount, includes_tax: false })

test('a tax item raises a price without tax, and is contained in a price with tax', async () => {
  const { path, ids } = await newCart([
    wrap({ sku: 'A', quantity: 3, price: exclusive(333) }),
    wrap({ sku: 'B', quantity: 3, price: { amount: 1299 } }),
  ])
  for (const [i, rate] of [0.1, 0.2].entries()) {
    const data = { type: 'tax_item', code: 'VAT', rate }
    const added = await world.admin.post(`${path}/items/${ids[i]}/taxes`, { data })
    expect([added.status, added.body.data]).toMatchObject([201, { type: 'tax_item', code: 'VAT', rate }])
  }
  expect(await totalsOf(path)).toMatchObject({
    with_tax: 1099 + 3897,
    tax: 100 + 649,
    without_tax: 999 + 3248,
  })
  const { body } = await world.admin.get(`${path}/items?include=tax_items`)
  expect(body.included.tax_items).toHaveLength(2)
  expect(body.data[0].relationships.taxes.data).toEqual([
    { type: 'tax_item', id: body.included.tax_items[0].id },
  ])
})

test('a tax item changes from a rate to an amount, and goes', async () => {
  const { path, ids } = await newCart([wrap({ quantity: 4, price: exclusive(250) })])
  const taxes = `${path}/items/${ids[0]}/taxes`
  const { id } = (await world.admin.post(taxes, { data: { type: 'tax_item', rate: 0.5 } })).body.data
  const both = await world.admin.put(`${taxes}/${id}`, { data: { amount: 500 } })
  expect(both.status).toBe(422)
  await world.admin.put(`${taxes}/${id}`, { data: { amount: 500, rate: null } })
  expect(await totalsOf(path)).toMatchObject({ with_tax: 1500, tax: 500 })
  expect((await world.admin.delete(`${taxes}/${id}`)).status).toBe(204)
  expect(await totalsOf(path)).toMatchObject({ with_tax: 1000, tax: 0 })
})

test('many tax items are added at once, and the refused ones are named', async () => {
  const { path, ids } = await newCart([wrap({ price: exclusive(1000) })])
  const item = (id: unknown, rate: number) => ({
    type: 'tax_item',
    rate,
    relationships: { item: { data: { id, type: 'custom_item' } } },
  })
  const data = [item(ids[0], 0.1), item('none', 0.1), ...[1, 2, 3, 4, 5].map(() => item(ids[0], 0.1))]
  const some = await world.admin.post(`${path}/taxes`, { data })
  expect([some.status, some.body.data.length]).toEqual([201, 5])
  expect(some.body.errors.map(({ status, source }: Any) => [status, source])).toEqual([
    ['404', 'data.1'],
    ['422', 'data.6'],
  ])
  const none = await world.admin.post(`${path}/taxes`, { data, options: { add_all_or_nothing: true } })
  expect(none.status).toBe(422)
  expect((await world.admin.delete(`${path}/taxes`)).status).toBe(204)
  expect(await totalsOf(path)).toMatchObject({ tax: 0 })
  const again = await world.admin.delete(`${path}/taxes`)
  expect([again.status, again.body.errors[0].title]).toEqual([404, 'Resource Not Found'])
})

test('tax items that are added at once say which item they are for', async () => {
  const { path, ids } = await newCart([wrap({ price: exclusive(1000) }), wrap({ price: exclusive(2000) })])
  const item = (id: unknown) => ({ data: { id, type: 'custom_item' } })
  const taxed = (id: unknown) => ({ type: 'tax_item', rate: 0.1, relationships: { item: item(id) } })
  const data = [taxed(ids[1]), taxed('none'), taxed(ids[0])]
  const { body } = await world.admin.post(`${path}/taxes`, { data })
  expect(body.data.map(({ relationships }: Any) => relationships)).toEqual([
    { item: item(ids[1]) },
    { item: item(ids[0]) },
  ])
})

test('a tax item for an item of another type is refused', async () => {
  const { path, ids } = await newCart([wrap({ price: exclusive(1000) })])
  const taxed = (type?: string) => ({
    ...{ type: 'tax_item', rate: 0.1 },
    relationships: { item: { data: { id: ids[0], type } } },
  })
  const { status, body } = await world.admin.post(`${path}/taxes`, { data: [taxed('cart_item'), taxed()] })
  expect([status, body.data.length]).toEqual([201, 1])
  expect(body.errors).toEqual([
    {
      ...{ status: '404', code: 'not_found', title: 'Tax item not added to cart item.' },
      detail: expect.stringContaining('type must be custom_item, the type of the item'),
      ...{ source: 'data.0.relationships.item.data.type', meta: { id: ids[0] } },
    },
  ])
})

test('custom discounts of items come first, and those of the cart are shared by what is left', async () => {
  const { path, ids } = await newCart(
    [wrap({ sku: 'A', price: exclusive(1000) }), wrap({ sku: 'B', price: exclusive(1000) })],
    true,
  )
  await world.admin.post(`${path}/items/${ids[0]}/custom-discounts`, { data: customDiscount(-500) })
  const added = await world.admin.post(`${path}/custom-discounts`, {
    data: [customDiscount({ amount: -300 })],
  })
  expect([added.status, added.body.data[0].amount]).toEqual([
    201,
    { amount: -300, currency: 'USD', formatted: '-$3.00' },
  ])
  expect(await totalsOf(path)).toMatchObject({ with_tax: 1200, discount: -800, without_discount: 2000 })
  const { body } = await world.admin.get(`${path}/items`)
  expect(body.data.map(({ discounts }: Any) => discounts.map((one: Any) => one.amount.amount))).toEqual([
    [-500, -100],
    [-200],
  ])
  expect(body.data.map(({ type }: Any) => type)).toEqual(['custom_item', 'custom_item'])
  const { id } = added.body.data[0]
  await world.admin.put(`${path}/custom-discounts/${id}`, { data: { amount: -30 } })
  expect(await totalsOf(path)).toMatchObject({ discount: -530 })
  await world.admin.delete(`${path}/custom-discounts`)
  expect(await totalsOf(path)).toMatchObject({ discount: -500 })
})

test('custom discounts that are added at once are for the items that they name, or for the cart', async () => {
  const { path, ids } = await newCart(
    [wrap({ sku: 'A', price: exclusive(1000) }), wrap({ sku: 'B', price: exclusive(1000) })],
    true,
  )
  const discount = (amount: number, id?: string) =>
    customDiscount(amount, id ? { relationships: { item: { data: { id, type: 'custom_item' } } } } : {})
  const { status, body } = await world.admin.post(`${path}/custom-discounts`, {
    data: [discount(-500, ids[1]), discount(-300, 'none'), discount(-100)],
  })
  expect([status, body.data.map(({ relationships }: Any) => relationships?.item.data)]).toEqual([
    201,
    [{ id: ids[1], type: 'custom_item' }, undefined],
  ])
  expect(body.errors.map(({ status, source }: Any) => [status, source])).toEqual([['404', 'data.1']])
  const items = (await world.admin.get(`${path}/items?include=custom_discounts`)).body
  expect(items.data.map(({ meta }: Any) => meta.display_price.discount.value.amount)).toEqual([-67, -533])
  const [own] = body.data
  expect(items.data[1].relationships.custom_discounts.data).toEqual([{ type: 'custom_discount', id: own.id }])
  const removed = await world.admin.delete(`${path}/items/${ids[1]}/custom-discounts/${own.id}`)
  expect(removed.status).toBe(204)
})

test('a cart says why it takes no custom discount', async () => {
  const data = [customDiscount(-1)]
  const refusal = ({ status, body }: Any) => [status, body.errors[0].title, body.errors[0].meta]
  const off = await newCart([wrap({ price: exclusive(1) })])
  for (const sent of [data, data[0]]) {
    const refused = await world.admin.post(`${off.path}/custom-discounts`, { data: sent })
    expect(refusal(refused)).toEqual([400, 'Bad Request', undefined])
  }
  const item = await itemPath(world.admin)
  const [cart = '', id] = item.split('/items/')
  for (const [path, title, meta] of [
    [item, 'Limit Reached', { id }],
    [cart, 'Custom discount not added to cart', undefined],
  ] as const) {
    for (let i = 0; i < 5; i++) {
      expect((await world.admin.post(`${path}/custom-discounts`, { data: data[0] })).status).toBe(201)
    }
    expect(refusal(await world.admin.post(`${path}/custom-discounts`, { data: data[0] }))).toEqual([
      ...[422, title, meta],
    ])
  }
  const both = await world.admin.post(`${cart}/custom-discounts`, { data: [...data, ...data] })
  expect([both.status, both.body.data, both.body.errors.length]).toEqual([422, undefined, 2])
})

test('a custom discount names itself and its engine, and one alone is answered alone', async () => {
  const { path } = await newCart([wrap({ price: exclusive(1000) })], true)
  const { body } = await world.admin.post(`${path}/custom-discounts`, { data: customDiscount(-100) })
  expect(body.data).toMatchObject({
    ...{ type: 'custom_discount', external_id: 'till-1', discount_engine: 'Till' },
    ...{ discount_code: 'REGULAR', description: 'Regular', amount: { amount: -100 } },
  })
  const [{ id }] = (await world.admin.get(`${path}/items`)).body.data
  for (const name of ['external_id', 'discount_engine', 'discount_code', 'description']) {
    const data = customDiscount(-1, { [name]: undefined })
    for (const to of [`${path}/custom-discounts`, `${path}/items/${id}/custom-discounts`]) {
      const refused = await world.admin.post(to, { data })
      expect([refused.status, refused.body.errors[0].source]).toEqual([400, `data.${name}`])
    }
  }
})

test('tax items of which none can be added are refused, each with its item', async () => {
  const { path, ids } = await newCart([wrap()])
  const taxed = (type?: string, id = ids[0]) => ({
    ...{ type: 'tax_item', rate: 0.1 },
    relationships: { item: { data: { id, type } } },
  })
  const refusals = ({ status, body }: Any) => [
    status,
    body.errors.map(({ title, meta }: Any) => [title, meta.id]),
  ]
  const title = 'Tax item not added to cart item.'
  const wrong = await world.admin.post(`${path}/taxes`, { data: [taxed('cart_item'), taxed('cart_item')] })
  expect(refusals(wrong)).toEqual([
    404,
    [
      [title, ids[0]],
      [title, ids[0]],
    ],
  ])
  const five = Array.from({ length: 5 }, () => taxed())
  expect((await world.admin.post(`${path}/taxes`, { data: five })).status).toBe(201)
  expect(refusals(await world.admin.post(`${path}/taxes`, { data: [taxed()] }))).toEqual([
    ...[422, [[title, ids[0]]]],
  ])
  const one = await world.admin.post(`${path}/items/${ids[0]}/taxes`, {
    data: { type: 'tax_item', rate: 0.1 },
  })
  expect(refusals(one)).toEqual([422, [[title, ids[0]]]])
})

test('tax items that are added all or not at all have one refusal for every reason', async () => {
  const { path, ids } = await newCart([wrap()])
  const taxed = (id: string | undefined) => ({
    ...{ type: 'tax_item', rate: 0.1 },
    relationships: { item: { data: { id } } },
  })
  const options = { add_all_or_nothing: true }
  for (const data of [[taxed(ids[0]), taxed('none')], Array.from({ length: 6 }, () => taxed(ids[0]))]) {
    const { status, body } = await world.admin.post(`${path}/taxes`, { data, options })
    expect([status, body.errors[0].title]).toEqual([422, 'Add all or nothing.'])
    expect(body.errors[0].source).toBe(`data.${data.length - 1}`)
  }
  expect((await totalsOf(path)).tax).toBe(0)
})

test('an item without discounts says so', async () => {
  const { path } = await newCart([wrap()])
  const [item] = (await world.admin.get(`${path}/items`)).body.data
  expect(item.discounts).toEqual([])
})

test('shoppers add no taxes and no custom discounts', async () => {
  const item = await itemPath(world.admin)
  for (const what of ['taxes', 'custom-discounts']) {
    const reply = await world.shopper.post(`${item}/${what}`, { data: { type: 'tax_item', rate: 0 } })
    expect(reply.status).toBe(403)
  }
})
