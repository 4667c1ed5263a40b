import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { password } from '../../builders/people/accounts.ts'
import { customer, customers } from '../../builders/people/customers.ts'
import { person, profile, signedIn } from '../../builders/people/members.ts'
import { shopOf } from '../../builders/shop/publishing.ts'
import { storeOf } from '../../builders/shop/storefront.ts'
import type { Any } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

/** Shoppers fill a cart, by the calls of storefronts in their order. Each test is a step. */

type Headers = Readonly<Record<string, string>>

let world: World
const ids: Record<string, string> = {}
const headersOf: Record<string, Headers> = {}

beforeAll(async () => {
  world = await openWorld({ overHttp: true })
  const shop = shopOf(world)
  const store = storeOf(world, shop)
  const { hierarchy, node } = await store.shelf()
  for (const sku of ['MUG', 'SHIRT', 'CUP']) ids[sku] = await shop.product({ sku, name: sku })
  const options = [{ type: 'product', id: ids.CUP, quantity: 4, default: true }]
  const components = { cups: { name: 'Cups', options, min: 1, max: 1 } }
  ids.SET = await shop.product({ sku: 'SET', name: 'SET', components })
  await shop.put(hierarchy, node, ...Object.values(ids))
  const book = await store.pricebook()
  for (const [sku, amount] of Object.entries({ MUG: 1200, SHIRT: 2500, CUP: 300, SET: 5000 })) {
    await store.dollars(book, sku, amount)
  }
  await shop.publish(await shop.catalog([hierarchy], { pricebook_id: book }))
  const promotion = {
    ...{ type: 'promotion', name: 'Spring', description: 'A tenth off', promotion_type: 'percent_discount' },
    ...{ enabled: true, automatic: false, start: '2020-01-01', end: '2999-01-01' },
    schema: { currencies: [{ currency: 'USD', percentage: 10 }] },
  }
  const { id } = await shop.send('POST', '/v2/promotions', promotion, 201)
  const codes = { type: 'promotion_codes', codes: [{ code: 'SPRING' }] }
  await world.admin.post(`/v2/promotions/${id}/codes`, { data: codes })

  headersOf['a guest'] = {}
  headersOf['a customer'] = await signUp('ada')
  headersOf['an account member'] = await signedIn(world, await person(world, await profile(world.admin)))
  headersOf.another = await signUp('ben')
})
afterAll(() => world.close())

async function signUp(name: string): Promise<Headers> {
  const data = { name, email: `${name}@example.com`, password }
  await world.admin.post(customers, customer(data))
  const { body } = await world.shopper.post('/v2/customers/tokens', { data: { type: 'token', ...data } })
  return { 'x-moltin-customer-token': body.data.token }
}

const total = (items: readonly Any[], of: (item: Any) => number) =>
  items.reduce((sofar, item) => sofar + of(item), 0)

/** The amounts of a cart, after each of them was found again in its items and their reasons. */
function explained({ data: cart, included }: Any): Record<string, number> {
  const items = included.items.filter(({ type }: Any) => type !== 'promotion_item')
  for (const item of items) {
    const { with_tax, without_tax, tax, discount, without_discount } = item.meta.display_price
    expect(item.value.amount).toBe(item.unit_price.amount * item.quantity)
    expect(without_discount.value.amount).toBe(item.value.amount)
    expect(discount.value.amount).toBe(total(item.discounts ?? [], ({ amount }) => amount.amount))
    expect(with_tax.value.amount).toBe(without_tax.value.amount + tax.value.amount)
    const taxes = (item.relationships?.taxes?.data ?? []).map(({ id }: Any) => id)
    expect(tax.value.amount > 0).toBe(taxes.length > 0)
    const listed = included.tax_items.map(({ id }: Any) => id)
    expect(listed).toEqual(expect.arrayContaining(taxes))
    for (const { id } of item.discounts ?? []) {
      expect(included.promotions.map((one: Any) => one.id)).toContain(id)
    }
  }
  const { shipping, shipping_discount, ...amounts } = cart.meta.display_price
  for (const [name, { amount }] of Object.entries<Any>(amounts)) {
    expect([name, amount]).toEqual([
      name,
      total(items, ({ meta }) => meta.display_price[name].value.amount) + 0,
    ])
  }
  const given = included.items.filter(({ type }: Any) => type === 'promotion_item')
  expect(total(given, ({ value }) => value.amount)).toBe(amounts.discount.amount)
  expect([shipping.amount, shipping_discount.amount]).toEqual([0, 0])
  return Object.fromEntries(Object.entries<Any>(amounts).map(([name, { amount }]) => [name, amount]))
}

describe.for(['a guest', 'a customer', 'an account member'])('%s', (kind) => {
  let path = ''
  const send = async (method: string, at: string, data?: unknown, expected = 201): Promise<Any> => {
    const { status, body } = await world.shopper.send(method, at, {
      headers: headersOf[kind] ?? {},
      ...(data !== undefined && { body: JSON.stringify({ data }) }),
    })
    expect([method, at, status, body?.errors]).toEqual([method, at, expected, undefined])
    return body
  }
  const add = (data: unknown) => send('POST', `${path}/items`, data)
  const read = () =>
    send(
      'GET',
      `${path}?include=items&include=promotions&include=tax_items&include=custom_discounts`,
      undefined,
      200,
    )
  const itemOf = async (sku: string) => {
    const { data } = await send('GET', `${path}/items`, undefined, 200)
    return data.find((item: Any) => item.sku === sku).id as string
  }

  test('the first request of a visit creates a cart that stays for a week', async () => {
    const { data } = await send('POST', '/v2/carts', { name: 'Cart', description: '' })
    path = `/v2/carts/${data.id}`
    const { created_at, expires_at } = data.meta.timestamps
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(7 * 86_400_000)
    expect(data.meta.display_price.with_tax.amount).toBe(0)
  })

  test('every page reads the cart with its items', async () => {
    const { data, included } = await send('GET', `${path}?include=items`, undefined, 200)
    expect([data.relationships.items.data, included.items]).toEqual([null, []])
  })

  test('items of every kind are added', async () => {
    await add({ type: 'cart_item', id: ids.MUG, quantity: 2 })
    await add({ type: 'cart_item', sku: 'SHIRT', quantity: 1, custom_inputs: { name: 'Ada' } })
    await add({
      ...{ type: 'cart_item', id: ids.SET, quantity: 1 },
      bundle_configuration: { selected_options: { cups: { [ids.CUP as string]: 4 } } },
    })
    await add({ type: 'custom_item', name: 'Wrap', sku: 'WRAP', quantity: 1, price: { amount: 350 } })
    const shipping = { name: 'Standard', sku: '__shipping_standard', price: { amount: 0 } }
    const { data } = await add({ type: 'custom_item', quantity: 1, ...shipping })
    expect(data.map(({ sku, value }: Any) => [sku, value.amount])).toEqual([
      ['MUG', 2400],
      ['SHIRT', 2500],
      ['SET', 5000],
      ['WRAP', 350],
      ['__shipping_standard', 0],
    ])
    expect(explained(await read())).toMatchObject({ with_tax: 10_250, tax: 0, discount: 0 })
  })

  test('the taxes of the merchant are part of the totals', async () => {
    const vat = { type: 'tax_item', code: 'VAT', rate: 0.2 }
    const mug = `${path}/items/${await itemOf('MUG')}/taxes`
    const cups = `${path}/items/${await itemOf('SET')}/components/${ids.CUP}/taxes`
    expect((await world.admin.post(mug, { data: vat })).status).toBe(201)
    expect((await world.admin.post(cups, { data: { ...vat, rate: 0.1 } })).status).toBe(201)
    // 20 % of 2 mugs are 480; 10 % of 4 cups at 300 are 120.
    expect(explained(await read())).toMatchObject({ with_tax: 10_850, without_tax: 10_250, tax: 600 })
  })

  test('a code takes a tenth off every item', async () => {
    await add({ type: 'promotion_item', code: 'SPRING' })
    const body = await read()
    const taken = body.included.items.map(({ discounts = [] }: Any) =>
      total(discounts, ({ amount }) => amount.amount),
    )
    expect(taken.slice(0, 4)).toEqual([-240, -250, -500, -35])
    // 20 % of the 2,160 that the mugs cost now are 432. The cups are taxed by their own price.
    expect(explained(body)).toMatchObject({ with_tax: 9777, tax: 552, discount: -1025 })
  })

  test('without the code, everything costs what it did before', async () => {
    await send('DELETE', `${path}/discounts/SPRING`, undefined, 204)
    expect(explained(await read())).toMatchObject({ with_tax: 10_850, tax: 600, discount: 0 })
  })

  test('a quantity changes, and an item goes', async () => {
    await send('PUT', `${path}/items/${await itemOf('MUG')}`, { type: 'cart_item', quantity: 3 }, 200)
    await send('DELETE', `${path}/items/${await itemOf('SHIRT')}`, undefined, 200)
    // 3 mugs with 720 tax, the set with 120, and the wrap.
    expect(explained(await read())).toMatchObject({ with_tax: 4320 + 5120 + 350 })
  })

  test('the items of another visit are merged', async () => {
    const other = `visit-of-${kind.replaceAll(' ', '-')}`
    const mug = { type: 'cart_item', id: ids.MUG, quantity: 1 }
    expect((await world.shopper.post(`/v2/carts/${other}/items`, { data: mug })).status).toBe(201)
    const { data } = await add({ type: 'cart_items', cart_id: other })
    expect([data.length, data[0].quantity]).toEqual([4, 4])
  })

  test('the cart is in the list of its owner, and nobody else uses it', async () => {
    const listed = await world.shopper.get('/v2/carts', headersOf[kind])
    const used = await world.shopper.get(path, headersOf.another)
    if (kind === 'a guest') {
      // The id of a guest's cart is all that is needed to use it.
      expect([listed.status, used.status]).toEqual([403, 200])
      return
    }
    expect(listed.body.data.map(({ id }: Any) => `/v2/carts/${id}`)).toEqual([path])
    expect(used.status).toBe(403)
  })

  test('an emptied cart costs nothing', async () => {
    await send('DELETE', `${path}/items`, undefined, 204)
    expect(explained(await read())).toMatchObject({ with_tax: 0, without_discount: 0 })
  })
})
