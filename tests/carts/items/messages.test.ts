import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { addCodes } from '../../builders/promotions/codes.ts'
import { shopOf } from '../../builders/shop/publishing.ts'
import { storeOf } from '../../builders/shop/storefront.ts'
import type { Any } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

/** What a cart says about promotions that take nothing. */

let world: World
let shop: ReturnType<typeof shopOf>
const ids: Record<string, string> = {}
beforeAll(async () => {
  world = await openWorld()
  shop = shopOf(world)
  const store = storeOf(world, shop)
  const book = await store.pricebook()
  const { hierarchy, node } = await store.shelf()
  for (const [sku, amount] of [
    ['LOAF', 1000],
    ['JAM', 300],
  ] as const) {
    ids[sku] = await shop.product({ sku, name: sku })
    await store.dollars(book, sku, amount)
  }
  const jam = { id: ids.JAM, type: 'product', quantity: 1, default: true }
  ids.BOX = await shop.product({
    sku: 'BOX',
    name: 'BOX',
    components: { jam: { name: 'Jam', options: [jam] } },
  })
  await store.dollars(book, 'BOX', 500)
  await shop.put(hierarchy, node, ...Object.values(ids))
  await shop.publish(await shop.catalog([hierarchy], { pricebook_id: book }))
  await store.currency('EUR', '€{price}')
  const discounts = { use_rule_promotions: true, custom_discounts_enabled: false }
  await world.admin.put('/v2/settings/cart', { data: { type: 'settings', discounts } })
  const none = await world.admin.post(`/v2/inventories/${ids.JAM}`, { data: { quantity: 0 } })
  expect(none.status).toBe(201)
})
afterAll(() => world.close())

// Promotions apply to every cart of the store: each test has its own.
let made: string[] = []
beforeEach(async () => {
  for (const path of made) await world.admin.delete(path)
  made = []
})

const forever = { start: '2020-01-01', end: '2099-01-01', enabled: true }
async function create(path: string, data: object): Promise<string> {
  const { status, body } = await world.admin.post(path, { data: { ...forever, ...data } })
  if (status !== 201) throw new Error(JSON.stringify(body))
  made.push(`${path}/${body.data.id}`)
  return `${path}/${body.data.id}`
}
const standard = (promotion_type: string, schema: object, more: object = {}) =>
  create('/v2/promotions', {
    ...{ type: 'promotion', name: 'One', description: 'A discount', automatic: true, promotion_type, schema },
    ...more,
  })
const gift = (more: object = {}, gifts = ['JAM']) => {
  const requirements = [{ targets: ['LOAF'], quantity: 2 }]
  return standard('bundle_gift', { requirements, gifts, auto_add_free_gift: true }, more)
}
const idIn = (path: string) => path.split('/').at(-1)

let carts = 0
const newCart = () => `/v2/carts/messages-${++carts}`
const add = (cart: string, ...data: readonly object[]) => world.shopper.post(`${cart}/items`, { data })
const loaves = (quantity: number) => ({ type: 'cart_item', sku: 'LOAF', quantity })
const read = (cart: string) => world.shopper.get(`${cart}/items`)
const skus = ({ body }: Any) => body.data.map(({ sku }: Any) => sku)
const messages = ({ body }: Any) =>
  (body.meta?.messages ?? [])
    .filter(({ reason }: Any) => reason)
    .map(({ source, title, reason }: Any) => [title, source.code, reason.verdict])
const address = { first_name: 'Ada', last_name: 'Bloom', line_1: '12 Mill Lane', region: 'Cambridgeshire' }
const place = { ...address, postcode: 'CB7 4AA', country: 'GB' }
const checkOut = (cart: string) =>
  world.shopper.post(`${cart}/checkout`, {
    data: {
      customer: { name: 'Ada Bloom', email: 'ada@example.com' },
      billing_address: place,
      shipping_address: place,
    },
  })
const stock = (action: 'increment' | 'decrement', quantity: number) =>
  world.admin.post(`/v2/inventories/${ids.JAM}/transactions`, {
    data: { type: 'stock-transaction', action, quantity },
  })

test('an earned gift that is out of stock is not added, every answer says so, and the checkout goes on', async () => {
  const id = idIn(await gift())
  const cart = newCart()
  const told = [['Gift Not Added', `auto_${id}`, 'gift_missing']]
  expect(messages(await add(cart, loaves(1)))).toEqual([])
  const earned = await add(cart, loaves(1))
  expect([skus(earned), messages(earned)]).toEqual([['LOAF'], told])
  expect(earned.body.meta.messages.at(-1)).toEqual({
    source: { type: 'promotion', id, code: `auto_${id}` },
    title: 'Gift Not Added',
    description: 'There is not enough stock to add JAM to the cart: 1 requested, 0 available.',
    reason: {
      verdict: 'gift_missing',
      gifts: [{ product: 'JAM', quantity: 1 }],
      detail: 'There is not enough stock to add JAM to the cart: 1 requested, 0 available.',
    },
  })
  expect(messages(await read(cart))).toEqual(told)
  const [{ id: line }] = earned.body.data
  const put = (quantity: number) =>
    world.shopper.put(`${cart}/items/${line}`, { data: { type: 'cart_item', quantity } })
  expect(messages(await put(3))).toEqual(told)
  const order = await checkOut(cart)
  expect([order.status, messages(order)]).toEqual([201, told])
  expect(order.body.included.items.map(({ sku }: Any) => sku)).toEqual(['LOAF'])
  expect(messages(await put(1))).toEqual([])
  await stock('increment', 1)
  const given = await put(2)
  expect([skus(given), messages(given)]).toEqual([['LOAF', 'JAM'], []])
  await stock('decrement', 1)
  const refused = await checkOut(cart)
  expect([refused.status, refused.body.errors[0].title]).toEqual([400, 'Insufficient stock'])
})

test('gifts and what the cart has of the same product share its stock', async () => {
  const id = idIn(await gift())
  await stock('increment', 1)
  const cart = newCart()
  const told = [['Gift Not Added', `auto_${id}`, 'gift_missing']]
  const quantities = ({ body }: Any) => body.data.map(({ sku, quantity }: Any) => [sku, quantity])
  const one = await add(cart, loaves(2))
  expect([quantities(one), messages(one)]).toEqual([
    [
      ['LOAF', 2],
      ['JAM', 1],
    ],
    [],
  ])
  const two = await add(cart, loaves(2))
  expect([quantities(two), messages(two)]).toEqual([
    [
      ['LOAF', 4],
      ['JAM', 1],
    ],
    told,
  ])
  expect((await checkOut(cart)).status).toBe(201)
  await stock('decrement', 1)
})

test('a bundle is no gift while one of its options is out of stock', async () => {
  const id = idIn(await gift({}, ['BOX']))
  const cart = newCart()
  const added = await add(cart, loaves(2))
  expect([skus(added), messages(added)]).toEqual([
    ['LOAF'],
    [['Gift Not Added', `auto_${id}`, 'gift_missing']],
  ])
  expect((await checkOut(cart)).status).toBe(201)
})

test('a cart that leaves the stock to its checkout has no gift that is out of stock', async () => {
  const id = idIn(await gift())
  const { body } = await world.shopper.post('/v2/carts', {
    data: { name: 'Late', inventory_settings: { defer_inventory_check: true } },
  })
  const cart = `/v2/carts/${body.data.id}`
  const added = await add(cart, loaves(2))
  expect([skus(added), messages(added)]).toEqual([
    ['LOAF'],
    [['Gift Not Added', `auto_${id}`, 'gift_missing']],
  ])
  expect((await checkOut(cart)).status).toBe(201)
})

test('a cart that was filled before the gift began says that it is out of stock when it is read', async () => {
  const cart = newCart()
  await add(cart, loaves(2))
  const id = idIn(await gift())
  expect(messages(await read(cart))).toEqual([['Gift Not Added', `auto_${id}`, 'gift_missing']])
})

test('a gift by code that is out of stock has one message', async () => {
  const promotion = await gift({ automatic: false })
  await addCodes(world.admin, promotion, { code: 'JAM-FREE' })
  const cart = newCart()
  await add(cart, loaves(2))
  const entered = await add(cart, { type: 'promotion_item', code: 'JAM-FREE' })
  expect([entered.status, messages(entered)]).toEqual([201, [['Gift Not Added', 'JAM-FREE', 'gift_missing']]])
})

test('an automatic promotion without the currency of the cart says so, if it would be for an item', async () => {
  const euros = [{ currency: 'EUR', amount: 100 }]
  const all = idIn(await standard('item_fixed_discount', { targets: ['all'], currencies: euros }))
  await standard('item_fixed_discount', { targets: ['JAM'], currencies: euros })
  await standard('item_fixed_discount', { targets: ['all'], currencies: euros }, { enabled: false })
  const rule_set = { currencies: ['EUR'], actions: [{ strategy: 'cart_discount', args: ['percent', 10] }] }
  const rule = idIn(
    await create('/v2/rule-promotions', { type: 'rule_promotion', name: 'One', automatic: true, rule_set }),
  )
  const cart = newCart()
  const { body } = await add(cart, loaves(1))
  const expected = [all, rule].map((id) => ({
    source: { type: 'promotion', id, code: `auto_${id}` },
    title: 'currency mismatch',
    description: 'discount unavailable in currency USD',
  }))
  expect(body.meta.messages).toMatchObject(expected)
  expect((await read(cart)).body.meta.messages).toMatchObject(expected)
})

test('a code whose promotion is deleted, or has lost it, stays with the reason until it counts again', async () => {
  const ten = { currencies: [{ currency: 'USD', percentage: 10 }] }
  const byCode = () => standard('percent_discount', ten, { automatic: false })
  const promotion = await byCode()
  await addCodes(world.admin, promotion, { code: 'BACK' })
  const cart = newCart()
  await add(cart, loaves(1), { type: 'promotion_item', code: 'BACK' })
  const taken = async () => (await read(cart)).body.meta.display_price.discount.amount
  expect(await taken()).toBe(-100)
  const lost = [['Promotion Not Applied', 'BACK', 'unknown_code']]
  await world.admin.delete(`${promotion}/codes/BACK`)
  expect([await taken(), messages(await read(cart))]).toEqual([0, lost])
  expect(messages(await add(cart, loaves(1)))).toEqual(lost)
  await addCodes(world.admin, promotion, { code: 'BACK' })
  expect([await taken(), messages(await read(cart))]).toEqual([-200, []])
  await world.admin.delete(promotion)
  expect([await taken(), messages(await read(cart))]).toEqual([0, lost])
  const order = await checkOut(cart)
  expect([order.status, messages(order)]).toEqual([201, lost])
  expect((await world.shopper.delete(`${cart}/discounts/BACK`)).status).toBe(204)
  expect(messages(await read(cart))).toEqual([])
})

test('a code that its promotion does not need has a message, and so has the second code of a promotion', async () => {
  const ten = { currencies: [{ currency: 'USD', percentage: 10 }] }
  const promotion = await standard('percent_discount', ten, { automatic: false })
  await addCodes(world.admin, promotion, { code: 'FIRST' }, { code: 'SECOND' })
  const cart = newCart()
  const codes = ['FIRST', 'SECOND'].map((code) => ({ type: 'promotion_item', code }))
  const notNeeded = (code: string) => ['Promotion Not Applied', code, 'code_not_needed']
  expect(messages(await add(cart, loaves(1), ...codes))).toEqual([notNeeded('SECOND')])
  const update = (values: object) => world.admin.put(promotion, { data: { type: 'promotion', ...values } })
  await update({ automatic: true })
  expect(messages(await read(cart))).toEqual([notNeeded('FIRST'), notNeeded('SECOND')])
  await update({ automatic: false, enabled: false })
  expect(messages(await read(cart)).map(([, code, verdict]: string[]) => [code, verdict])).toEqual([
    ['FIRST', 'disabled'],
    ['SECOND', 'disabled'],
  ])
})
