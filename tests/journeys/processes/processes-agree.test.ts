import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type RunningServer, start } from '../../../server/main.ts'
import { customDiscount } from '../../builders/carts/custom-discounts.ts'
import { makeApi } from '../../builders/fields/custom-apis.ts'
import { makeFlow } from '../../builders/fields/flows.ts'
import { filledCart, openShop } from '../../builders/orders/buying.ts'
import { orderOf, pay, takeManualPayments } from '../../builders/payments/paying.ts'
import { shopOf } from '../../builders/shop/publishing.ts'
import { storeOf } from '../../builders/shop/storefront.ts'
import { type Client, clientOf } from '../../support/client.ts'
import { MovingClock } from '../../support/moving-clock.ts'
import type { Any } from '../../support/requests.ts'
import { openWorld, testConfig, type World } from '../../support/world.ts'

/**
 * What a process keeps in memory is changed through one process, and read through another one, which has used it
 * before. The other one sees the change with its next request, or, where it looks again after a time, within a second.
 */

let world: World
let other: RunningServer
/** Callers of the other process. */
let admin: Client
let shopper: Client
let shop: ReturnType<typeof shopOf>
let store: ReturnType<typeof storeOf>
let products: Readonly<Record<string, string>>
const clock = new MovingClock()

beforeAll(async () => {
  world = await openWorld({ alone: true })
  other = await start(testConfig(inject('postgres'), world.database), { clock })
  admin = clientOf(other.url, world.admin.token)
  shopper = clientOf(other.url, world.shopper.token)
  shop = shopOf(world)
  store = storeOf(world, shop)
  products = await openShop(world, { TEA: 500 })
})
afterAll(async () => {
  await other.stop()
  await world.close()
})

/** What a reader sees before a change, and with its first request after it. */
async function around(change: () => Promise<unknown>, see: () => Promise<unknown>): Promise<unknown[]> {
  await see()
  const before = await see()
  await change()
  return [before, await see()]
}

const ok = async (reply: Promise<{ status: number; body: Any }>): Promise<Any> => {
  const { status, body } = await reply
  expect([status, body?.errors]).toEqual([status < 300 ? status : 'a success', undefined])
  return body
}

test('fields of a custom API', async () => {
  const api = await makeApi(world.admin, { title: ['string'] })
  const create = async () =>
    Object.keys((await ok(admin.post(api.entries, api.entry({ title: 'x' })))).data).includes('pages')
  expect(await around(() => api.addField('pages', 'integer'), create)).toEqual([false, true])
  const refuse = async () => (await admin.post(api.entries, api.entry({ title: 'longer' }))).status
  const narrow = { field_type: 'string', validation: { string: { max_length: 3 } } }
  expect(await around(() => ok(api.putField('title', narrow)), refuse)).toEqual([201, 400])
})

test('fields of a flow, and the API document of the store', async () => {
  const path = '/v2/settings/specifications/openapi'
  const see = async () => JSON.stringify((await ok(admin.get(path))).components).includes('roast_level')
  expect(
    await around(() => makeFlow(world.admin, 'products', { roast_level: { field_type: 'string' } }), see),
  ).toEqual([false, true])
})

test('settings of the store and of carts', async () => {
  const put = (path: string, data: object) =>
    ok(world.admin.put(path, { data: { type: 'settings', ...data } }))
  const length = async () => (await ok(admin.get('/v2/currencies'))).meta.page.limit
  expect(await around(() => put('/v2/settings', { page_length: 7 }), length)).toEqual([25, 7])
  const may = async () => {
    const cart = await filledCart(shopper)
    return (await admin.post(`${cart}/custom-discounts`, { data: customDiscount(-100) })).status
  }
  const allow = { discounts: { use_rule_promotions: false, custom_discounts_enabled: true } }
  expect(await around(() => put('/v2/settings/cart', allow), may)).toEqual([400, 201])
})

test('gateways', async () => {
  const first = await orderOf(shopper, 1000)
  const take = async () => (await pay(admin, first.id)).status
  const [before, after] = await around(() => takeManualPayments(world.admin), take)
  expect([before, after]).toEqual([422, 200])
})

const names = async () =>
  (await ok(shopper.get('/catalog/products'))).data.map(({ attributes }: Any) => attributes.sku)
const found = async () =>
  (await ok(shopper.post('/catalog/multi-search', { searches: [{ q: 'cocoa' }] }))).results[0].found

test('releases, prices and searches', async () => {
  await found()
  const release = async () => {
    const hierarchy = (await shop.get('/pcm/hierarchies')).data[0].id
    const node = (await shop.get(`/pcm/hierarchies/${hierarchy}/nodes`)).data[0].id
    const id = await shop.product({ sku: 'COCOA', name: 'Cocoa' })
    await shop.put(hierarchy, node, id)
    const [book] = (await shop.get('/pcm/pricebooks')).data
    await store.dollars(book.id, 'COCOA', 700)
    await shop.publish((await shop.get('/catalogs')).data[0].id)
  }
  expect(await found()).toBe(0)
  expect(await around(release, names)).toEqual([['TEA'], expect.arrayContaining(['TEA', 'COCOA'])])
  expect(await found()).toBe(1)
})

test('rules of catalogs', async () => {
  const empty = await shop.catalog([await shop.hierarchy()])
  await shop.publish(empty)
  const see = async () => (await ok(shopper.get('/catalog/products', { 'ep-channel': 'mobile' }))).data.length
  expect(await around(() => store.lead(empty, 'mobile'), see)).toEqual([2, 0])
})

test('promotions, and currencies', async () => {
  const discounts = { use_rule_promotions: true, custom_discounts_enabled: false }
  await ok(world.admin.put('/v2/settings/cart', { data: { type: 'settings', discounts } }))
  let carts = 0
  const sums = async () => {
    const data = { type: 'cart_item', id: products.TEA, quantity: 1 }
    const { meta } = await ok(shopper.post(`/v2/carts/agreed-${++carts}/items`, { data }))
    return meta.display_price.with_tax.amount
  }
  const promote = () =>
    ok(
      world.admin.post('/v2/rule-promotions', {
        data: {
          ...{ type: 'rule_promotion', name: 'All', enabled: true, automatic: true },
          ...{ start: '2020-01-01T00:00:00Z', end: '2099-01-01T00:00:00Z' },
          rule_set: {
            rules: { strategy: 'cart_total', operator: 'gte', args: [1] },
            actions: [{ strategy: 'cart_discount', args: ['percent', 10] }],
          },
        },
      }),
    )
  expect(await around(promote, sums)).toEqual([500, 450])
  const inPounds = async () => (await shopper.get('/catalog/products', { 'x-moltin-currency': 'GBP' })).status
  const [before, after] = await around(() => store.currency('GBP', '£{price}'), inPounds)
  expect([before, after]).toEqual([before === 200 ? 200 : 400, 200])
})

test('keys, and rates of the store, within a second', async () => {
  const { body } = await world.admin.post('/v2/application-keys', {
    data: { type: 'application_key', name: 'Passing' },
  })
  const { client_id, client_secret, id } = body.data
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })
  const answer = await fetch(`${world.url}/oauth/access_token`, { method: 'POST', body: form })
  const passing = clientOf(other.url, ((await answer.json()) as Any).access_token)
  expect((await passing.get('/v2/settings')).status).toBe(200)
  expect((await world.admin.delete(`/v2/application-keys/${id}`)).status).toBe(204)
  clock.forward(0.95)
  expect((await passing.get('/v2/settings')).status).toBe(401)

  const open = async () => (await shopper.get(`/files/${world.storeId}/x`)).headers.get('ratelimit-policy')
  const keyed = async () => (await admin.get('/v2/settings')).headers.get('ratelimit-policy')
  expect([await open(), await keyed()]).toEqual([null, null])
  await world.sql(`UPDATE stores SET request_rates = 'store:5000,address:5000' WHERE id = $1`, [
    world.storeId,
  ])
  clock.forward(0.95)
  expect([await open(), await keyed()]).toEqual([expect.any(String), expect.any(String)])
})
