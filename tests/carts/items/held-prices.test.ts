import { afterAll, beforeAll, expect, test } from 'vitest'
import { guestBody } from '../../builders/orders/buying.ts'
import { shopOf } from '../../builders/shop/publishing.ts'
import { openWorld, type World } from '../../support/world.ts'

/** A change quotes only what is new while the prices of the other lines hold: what ends that. */

// biome-ignore lint/suspicious/noExplicitAny: as for Reply.
type Any = any

let passedMs = 0
const minuteMs = 60_000
const saleEndsAt = new Date(Date.now() + 10 * minuteMs)

let world: World
let shop: ReturnType<typeof shopOf>
let catalog: string
let retail: string
let bun: string
let account: string
beforeAll(async () => {
  world = await openWorld({ clock: { now: () => new Date(Date.now() + passedMs) } })
  shop = shopOf(world)
  const hierarchy = await shop.hierarchy()
  const node = await shop.node(hierarchy)
  for (const sku of ['LOAF', 'RYE', 'BUN'])
    await shop.put(hierarchy, node, await shop.product({ sku, slug: sku }))
  const pricebook = async (name: string) =>
    (await shop.send('POST', '/pcm/pricebooks', { type: 'pricebook', attributes: { name } }, 201)).id
  const price = async (book: string, sku: string, amount: number, more: object = {}, sales?: object) => {
    const currencies = { USD: { amount, includes_tax: false, ...more } }
    const data = { type: 'product-price', attributes: { sku, currencies, sales } }
    return (await shop.send('POST', `/pcm/pricebooks/${book}/prices`, data, 201)).id
  }
  const flash = {
    schedule: { valid_to: saleEndsAt.toISOString() },
    currencies: { USD: { amount: 100, includes_tax: false } },
  }
  retail = await pricebook('Retail')
  await price(retail, 'LOAF', 500, {}, { flash })
  await price(retail, 'RYE', 300, { tiers: { ten: { minimum_quantity: 10, amount: 250 } } })
  bun = await price(retail, 'BUN', 50)
  const vip = await pricebook('VIP')
  await price(vip, 'RYE', 30)
  await price(vip, 'BUN', 5)
  catalog = await shop.catalog([hierarchy], { pricebook_id: retail })
  const other = await shop.catalog([hierarchy], { pricebook_id: vip })
  for (const one of [catalog, other]) await shop.publish(one)
  const rule = (attributes: object) =>
    shop.send(
      'POST',
      '/catalogs/rules',
      { type: 'catalog_rule', attributes: { catalog_id: other, ...attributes } },
      201,
    )
  const acme = { type: 'account', name: 'Acme', legal_name: 'Acme Ltd' }
  account = (await shop.send('POST', '/v2/accounts', acme, 201)).id
  await rule({ name: 'Of an account', account_ids: [account] })
  await rule({ name: 'Of a tag', tags: ['vip'] })
  await rule({ name: 'Of all others', catalog_id: catalog })
})
afterAll(() => world.close())

let counter = 0
const newCart = () => `/v2/carts/held-${++counter}`
const add = (cart: string, sku: string, quantity = 1, headers = {}) =>
  world.admin.post(`${cart}/items`, { data: { type: 'cart_item', sku, quantity } }, headers)
const unitPrices = ({ body }: { body: Any }) =>
  Object.fromEntries(body.data.map(({ sku, unit_price }: Any) => [sku, unit_price.amount]))

test('a line has the price of its new quantity, and others keep theirs', async () => {
  const cart = newCart()
  await add(cart, 'BUN')
  const added = await add(cart, 'RYE', 9)
  const item = `${cart}/items/${added.body.data[1].id}`
  expect(unitPrices(added)).toEqual({ BUN: 50, RYE: 300 })
  const update = async (quantity: number) =>
    unitPrices(await world.admin.put(item, { data: { type: 'cart_item', quantity } }))
  expect(await update(10)).toEqual({ BUN: 50, RYE: 250 })
  expect(await update(8)).toEqual({ BUN: 50, RYE: 300 })
})

test('a release with other prices prices all lines anew', async () => {
  const cart = newCart()
  await add(cart, 'BUN')
  const reprice = async (amount: number) => {
    const attributes = { sku: 'BUN', currencies: { USD: { amount, includes_tax: false } } }
    const data = { type: 'product-price', id: bun, attributes }
    await shop.send('PUT', `/pcm/pricebooks/${retail}/prices/${bun}`, data, 200)
    await shop.publish(catalog)
  }
  await reprice(60)
  expect(unitPrices(await add(cart, 'RYE'))).toEqual({ BUN: 60, RYE: 300 })
  await reprice(50)
})

test('another tag of the shopper prices all lines anew', async () => {
  const cart = newCart()
  await add(cart, 'BUN')
  expect(unitPrices(await add(cart, 'RYE', 1, { 'EP-Context-Tag': 'vip' }))).toEqual({ BUN: 5, RYE: 30 })
})

test('a cart has other prices once its account is deleted', async () => {
  const cart = newCart()
  await add(cart, 'BUN')
  await add(newCart(), 'BUN')
  const data = [{ type: 'account', id: account }]
  for (const one of [cart, `/v2/carts/held-${counter}`])
    await world.admin.post(`${one}/relationships/accounts`, { data })
  expect(unitPrices(await world.admin.get(`${cart}/items`))).toEqual({ BUN: 5 })
  await shop.send('DELETE', `/v2/accounts/${account}`, undefined, 204)
  expect(unitPrices(await world.admin.get(`${cart}/items`))).toEqual({ BUN: 50 })
  expect(unitPrices(await add(`/v2/carts/held-${counter}`, 'RYE'))).toEqual({ BUN: 50, RYE: 300 })
})

test('once a sale has ended, a change of another line and a checkout price all lines anew', async () => {
  const [cart, ordered] = [newCart(), newCart()]
  expect(unitPrices(await add(ordered, 'LOAF'))).toEqual({ LOAF: 100 })
  expect(unitPrices(await add(cart, 'LOAF'))).toEqual({ LOAF: 100 })
  expect(unitPrices(await add(cart, 'RYE'))).toEqual({ LOAF: 100, RYE: 300 })
  passedMs = 11 * minuteMs
  expect(unitPrices(await add(cart, 'BUN'))).toEqual({ LOAF: 500, RYE: 300, BUN: 50 })
  const order = await world.admin.post(`${ordered}/checkout`, guestBody())
  expect(unitPrices({ body: { data: order.body.included.items } })).toEqual({ LOAF: 500 })
})
