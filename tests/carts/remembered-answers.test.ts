import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { makeFlow } from '../builders/fields/flows.ts'
import { filledCart, guestBody, wrap } from '../builders/orders/buying.ts'
import { password } from '../builders/people/accounts.ts'
import { customer, customers } from '../builders/people/customers.ts'
import { create, newAdmin, readsOf, settled } from '../builders/personal-data/people.ts'
import { shopOf } from '../builders/shop/publishing.ts'
import { openWorld, type World } from '../support/world.ts'

/** A server answers with what it remembers of a cart. That is always what it would answer without a memory. */

let laterMs = 0
const minuteMs = 60_000
const dayMs = 1440 * minuteMs

let world: World
let shop: ReturnType<typeof shopOf>
let hierarchy: string
let product: string
let catalog: string
const undo: (() => Promise<unknown>)[] = []
let price: string
let promotion: string
beforeAll(async () => {
  world = await openWorld({
    clock: { now: () => new Date(Date.now() + laterMs) },
    env: { SUTLER_TOKEN_LIFETIME_S: '31536000' },
  })
  shop = shopOf(world)
  hierarchy = await shop.hierarchy()
  product = await shop.product({ sku: 'MUG' })
  await shop.put(hierarchy, await shop.node(hierarchy), product)
  const book = await create(world.admin, '/pcm/pricebooks', 'pricebook', { attributes: { name: 'Prices' } })
  price = (await create(world.admin, `${book.path}/prices`, 'product-price', mugAt(1000))).path
  catalog = await shop.catalog([hierarchy], { pricebook_id: book.id })
  await shop.publish(catalog)
  const discounts = { use_rule_promotions: true, custom_discounts_enabled: false }
  await world.admin.put('/v2/settings/cart', { data: { type: 'settings', discounts } })
  const until = new Date(Date.now() + 30 * minuteMs).toISOString()
  await create(world.admin, '/v2/rule-promotions', 'rule_promotion', percentOff(10, until))
  const other = percentOff(20, '2099-01-01T00:00:00Z')
  promotion = (await create(world.admin, '/v2/rule-promotions', 'rule_promotion', other)).path
  const once = { ...percentOff(5, '2099-01-01T00:00:00Z'), automatic: false }
  const coded = await create(world.admin, '/v2/rule-promotions', 'rule_promotion', once)
  const codes = [{ code: 'ONCE', uses: 1 }]
  await shop.send('POST', `${coded.path}/codes`, { type: 'promotion_codes', codes }, 201)
})
afterAll(() => world.close())
afterEach(async () => {
  for (const one of undo.splice(0)) await one()
})

const enter = (cart: string, code: string) =>
  world.shopper.post(`${cart}/items`, { data: { type: 'promotion_item', code } })

const mugAt = (amount: number) => ({
  attributes: { sku: 'MUG', currencies: { USD: { amount, includes_tax: false } } },
})

const percentOff = (percent: number, end: string) => ({
  ...{ name: `${percent} %`, enabled: true, automatic: true, start: '2020-01-01T00:00:00Z', end },
  rule_set: {
    rules: { strategy: 'cart_total', operator: 'gte', args: [1] },
    actions: [{ strategy: 'cart_discount', args: ['percent', percent] }],
  },
})

const mug = { type: 'cart_item', sku: 'MUG', quantity: 1 }
const newCart = () => filledCart(world.shopper, mug, wrap())
const names = ['items', 'promotions', 'tax_items', 'custom_discounts']
const includes = names.join()
const read = (cart: string, headers = {}) => world.shopper.get(`${cart}?include=${includes}`, headers)
/** The same answer to another question, which nobody has asked. */
const readAnew = (cart: string) => world.shopper.get(`${cart}?include=${names.toReversed()}`)

const put = (path: string, type: string, data: object) => world.admin.put(path, { data: { type, ...data } })
const changes: Readonly<Record<string, (cart: string) => Promise<unknown>>> = {
  'an item is added': (cart) => world.shopper.post(`${cart}/items`, { data: mug }),
  'the cart is renamed': (cart) => put(cart, 'cart', { name: 'Saturday' }),
  'a customer is associated': async (cart) => {
    const { id } = (await world.admin.post(customers, customer())).body.data
    return world.admin.post(`${cart}/relationships/customers`, { data: [{ type: 'customer', id }] })
  },
  'a promotion changes': () => put(promotion, 'rule_promotion', percentOff(30, '2099-01-01T00:00:00Z')),
  'a promotion is deleted': () => world.admin.delete(promotion),
  'a currency changes': async () => {
    const [{ id }] = (await world.admin.get('/v2/currencies')).body.data
    return put(`/v2/currencies/${id}`, 'currency', { format: 'US$ {price}' })
  },
  'a product has another price': async () => {
    await put(price, 'product-price', { id: price.split('/').at(-1), ...mugAt(1500) })
    await shop.publish(catalog)
  },
  'a product has another name': async () => {
    await shop.change(product, { name: 'Beaker' })
    await shop.publish(catalog)
  },
  'a product is no longer for sale': async () => {
    const sell = async (status: string) => {
      await shop.change(product, { status })
      await shop.publish(catalog)
    }
    undo.push(() => sell('live'))
    await sell('draft')
  },
  'a rule shows another catalog': async () => {
    const other = await shop.catalog([hierarchy])
    await shop.publish(other)
    const attributes = { name: 'All', catalog_id: other }
    const rule = await shop.send('POST', '/catalogs/rules', { type: 'catalog_rule', attributes }, 201)
    undo.push(() => shop.send('DELETE', `/catalogs/rules/${rule.id}`, undefined, 204))
  },
  'another shopper uses the last use of a code': async () => {
    const cart = await newCart()
    await enter(cart, 'ONCE')
    const order = await world.shopper.post(`${cart}/checkout`, guestBody())
    expect(order.status).toBe(201)
  },
  'an item has attributes': async (cart) => {
    const { id } = (await world.shopper.get(`${cart}/items`)).body.data[0]
    return put(`${cart}/items/${id}`, 'cart_item', {
      custom_attributes: { colour: { type: 'string', value: 'red' } },
    })
  },
  'an item is taxed': async (cart) => {
    const { id } = (await world.shopper.get(`${cart}/items`)).body.data[0]
    const data = { type: 'tax_item', code: 'VAT', rate: 0.2 }
    return world.admin.post(`${cart}/items/${id}/taxes`, { data })
  },
  'the cart becomes an order': (cart) => world.shopper.post(`${cart}/checkout`, guestBody()),
  'the cart is made anew under its id': async (cart) => {
    await world.admin.delete(cart)
    return world.shopper.post(`${cart}/items`, { data: mug })
  },
  'the store adds a field to carts': () =>
    makeFlow(world.admin, 'carts', { gift: { field_type: 'string', default: 'none' } }),
  'a promotion ends': async () => {
    laterMs += 31 * minuteMs
  },
  'the cart is deleted': (cart) => world.admin.delete(cart),
  'the cart expires': async () => {
    laterMs += 8 * dayMs
  },
}

/** What changes nothing that is shown: a product that is no longer for sale keeps its last price. */
const ofNothing = [
  'a product is no longer for sale',
  'a rule shows another catalog',
  'the cart becomes an order',
]
/** What changes nothing of the items. */
const ofTheCartOnly = ['the cart is renamed', 'a customer is associated', 'the store adds a field to carts']

test.each(Object.entries(changes))('when %s, the next answers show it', async (what, change) => {
  const cart = await newCart()
  await enter(cart, 'ONCE')
  const paths = [cart, `${cart}/items`]
  const answers = async (of: typeof read) => {
    const replies = await Promise.all(paths.map((path) => of(path)))
    return replies.map(({ status, body, headers }) => ({ status, body, etag: headers.get('etag') }))
  }
  const before = await answers(read)
  expect(await answers(read)).toEqual(before)
  await change(cart)
  const after = await answers(read)
  expect(after).toEqual(await answers(readAnew))
  if (ofNothing.includes(what)) return
  expect(after[0]?.body).not.toEqual(before[0]?.body)
  if (!ofTheCartOnly.includes(what)) expect(after[1]?.body).not.toEqual(before[1]?.body)
})

test('the second answer is remembered', async () => {
  const cart = await newCart()
  const { name } = (await read(cart)).body.data
  // Nobody writes like this: the version stays.
  await world.sql(`UPDATE carts SET doc = (doc::jsonb || '{"name": "Other"}')::json WHERE reference = $1`, [
    cart.split('/').at(-1),
  ])
  expect((await read(cart)).body.data.name).toBe(name)
  expect((await readAnew(cart)).body.data.name).toBe('Other')
})

test('a cart of a customer stays closed to others, and each of its readers is in the log', async () => {
  const asCustomer = async () => {
    const { email, id } = (await world.admin.post(customers, customer({ password }))).body.data
    const { body } = await world.shopper.post(`${customers}/tokens`, {
      data: { type: 'token', email, password },
    })
    return { id, headers: { 'x-moltin-customer-token': body.data.token } }
  }
  const [owner, other, support] = [await asCustomer(), await asCustomer(), await newAdmin(world)]
  const cart = await newCart()
  await world.admin.post(`${cart}/relationships/customers`, { data: [{ type: 'customer', id: owner.id }] })
  expect((await read(cart, owner.headers)).status).toBe(200)
  expect((await read(cart, other.headers)).status).toBe(403)
  expect((await read(cart, owner.headers)).status).toBe(200)

  const { rows } = await world.sql('SELECT id FROM carts WHERE reference = $1', [cart.split('/').at(-1)])
  expect((await support.client.get(`${cart}?include=${includes}`)).status).toBe(200)
  await settled(support.client)
  const reads = await readsOf(world.admin, 'cart', rows[0].id)
  const readers = reads.map(({ initiator }: { initiator: object }) => Object.values(initiator))
  expect(readers).toContainEqual(expect.arrayContaining([support.id]))
})
