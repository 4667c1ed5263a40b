import { afterAll, beforeAll, expect, test } from 'vitest'
import { app } from '../../../server/app.ts'
import { action } from '../../../server/kernel/declare/action.ts'
import { module } from '../../../server/kernel/module.ts'
import { json } from '../../../server/kernel/shape/answer.ts'
import { access } from '../../../server/people/permissions/access.ts'
import { type QuoteRequest, quote } from '../../../server/prices/index.ts'
import { type CatalogShopper, shopOf } from '../../../server/shop/index.ts'
import { shopOf as merchantOf } from '../../builders/shop/publishing.ts'
import { storeOf } from '../../builders/shop/storefront.ts'
import type { Any } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

/** Quotes for a shopper who is not the caller, beside what the storefront shows that shopper. */

interface Ask {
  readonly shopper: Partial<Omit<CatalogShopper, 'at'>> & { readonly at?: string }
  readonly asOf?: string
  readonly currency?: string
  readonly requests: readonly QuoteRequest[]
}

let ask: Ask
const quoteProducts = action({
  name: 'quote-products',
  route: 'GET /v2/quotes',
  about: 'Quotes products for a shopper.',
  area: 'quotes',
  status: 200,
  run: async (ctx) => {
    const { shopper, asOf, currency, requests } = ask
    const at = shopper.at ? new Date(shopper.at) : ctx.clock.now()
    const nobody = { accountId: undefined, customerId: undefined, channel: undefined, tags: [] }
    const shop = await shopOf(
      ctx,
      { ...nobody, ...shopper, at },
      { ...(asOf && { asOf: new Date(asOf) }), ...(currency && { currency }) },
    )
    return json(200, { data: await quote(shop, requests) })
  },
})

let world: World
let shop: ReturnType<typeof merchantOf>
let store: ReturnType<typeof storeOf>
beforeAll(async () => {
  world = await openWorld({
    modules: [...app, module({ name: 'quotes', about: 'Quotes.', actions: [quoteProducts] })],
    access: { ...access, quotes: { client_credentials: 'r' } },
  })
  shop = merchantOf(world)
  store = storeOf(world, shop)
})
afterAll(() => world.close())

async function quotes(request: Ask): Promise<Any> {
  ask = request
  const { status, body } = await world.admin.get('/v2/quotes')
  expect([status, body.errors]).toEqual([200, undefined])
  return body.data
}

test('where nothing is published for the shopper, no product has a price, and that is no error', async () => {
  const [one] = await quotes({ shopper: {}, requests: [{ sku: 'shirt', quantity: 1 }] })
  expect(one).toEqual({
    isPriced: false,
    reason: { verdict: 'nothing_published', detail: 'Nothing is published for the shopper.' },
  })
})

test('a quote has the price that the storefront shows the shopper, whoever reads it', async () => {
  const [retail, vip] = [await store.pricebook(), await store.pricebook()]
  const { hierarchy, node } = await store.shelf()
  const { parent, child } = await store.shirt()
  const cap = await shop.product({ sku: 'quoted-cap' })
  const components = {
    wear: {
      name: 'Wear',
      options: [
        { id: child.id, type: 'product', quantity: 1, default: true },
        { id: cap, type: 'product', quantity: 2 },
      ],
    },
  }
  const bundle = await shop.product({ sku: 'quoted-bundle', components })
  const unpriced = await shop.product({ sku: 'quoted-unpriced' })
  await shop.put(hierarchy, node, parent.id, cap, bundle, unpriced)
  const tiers = { ten: { minimum_quantity: 10, amount: 1800 } }
  await store.price(retail, parent.sku, { currencies: { USD: { amount: 2000, includes_tax: false, tiers } } })
  await store.dollars(retail, 'quoted-cap', 500)
  await store.price(vip, 'quoted-cap', {
    currencies: { USD: { amount: 400, includes_tax: false } },
    sales: {
      Soon: {
        schedule: { valid_from: '2090-01-01T00:00:00Z', valid_to: '2090-02-01T00:00:00Z' },
        currencies: { USD: { amount: 300, includes_tax: false } },
      },
    },
  })
  await store.modifier(retail, {
    ...{ name: 'PriceL', modifier_type: 'price_increment', currencies: { USD: { amount: 300 } } },
  })
  const catalog = await shop.catalog([hierarchy], { pricebook_id: retail, enable_price_segmentation: true })
  await store.lead(catalog, 'quoted', { name: 'everyone' })
  await store.lead(catalog, 'quoted-vip', {
    name: 'VIP, for a while',
    pricebook_ids: [
      { id: retail, priority: 1 },
      { id: vip, priority: 2 },
    ],
    schedules: [{ valid_from: '2020-01-01T00:00:00Z', valid_to: '2089-01-01T00:00:00Z' }],
  })
  await shop.publish(catalog)

  const requests: QuoteRequest[] = [
    { id: child.id, quantity: 1 },
    { sku: child.sku, quantity: 10 },
    { sku: 'quoted-cap', quantity: 3 },
    { id: bundle, quantity: 1 },
    { id: bundle, quantity: 1, selection: { wear: { [cap]: 2 } } },
    { id: unpriced, quantity: 1 },
    { sku: 'unheard-of', quantity: 1 },
  ]
  const dollarsOf = (all: Any) => all.map((one: Any) => one.unitPrices?.USD.amount)
  const everyone = await quotes({ shopper: { channel: 'quoted' }, requests })
  expect(dollarsOf(everyone)).toEqual([2300, 2100, 500, 2300, 1000, undefined, undefined])
  expect(everyone.map((one: Any) => one.reason?.verdict).slice(5)).toEqual(['unpriced', 'not_published'])
  expect(everyone.map((one: Any) => one.holdsUntil)).toEqual(Array.from({ length: 7 }))

  // The same as the storefront shows, also why.
  for (const [i, id] of [child.id, undefined, cap, bundle].entries()) {
    if (id === undefined) continue
    const headers = { 'ep-channel': 'quoted', prefer: 'explain' }
    const { body } = await world.admin.get(`/catalog/products/${id}`, headers)
    const { at: _shown, ...trace } = body.data.meta.explanation.price
    const { at: _quoted, ...quoted } = everyone[i].price.trace
    expect(body.data.attributes.price).toEqual(everyone[i].price.amounts.currencies)
    expect(quoted).toEqual(trace)
  }
  const selected = await world.admin.send('POST', `/catalog/products/${bundle}/configure`, {
    headers: { 'ep-channel': 'quoted' },
    body: JSON.stringify({ data: { selected_options: { wear: { [cap]: 2 } } } }),
  })
  expect(selected.body.data.attributes.price.USD.amount).toBe(1000)

  // Their own price books count while the rule's schedule lasts.
  const theirs = await quotes({ shopper: { channel: 'quoted-vip' }, requests })
  expect(dollarsOf(theirs)).toEqual([2300, 2100, 400, 2300, 800, undefined, undefined])
  expect(theirs[2].price.own.pricebook_id).toBe(vip)
  expect(new Set(theirs.map((one: Any) => one.holdsUntil))).toEqual(new Set(['2089-01-01T00:00:00.000Z']))

  // At another instant, in another currency.
  const later = await quotes({
    shopper: { channel: 'quoted-vip', at: '2020-06-01T00:00:00Z' },
    ...{ asOf: '2088-06-01T00:00:00Z', currency: 'USD', requests },
  })
  expect(dollarsOf(later)).toEqual(dollarsOf(theirs))
  const after = await quotes({ shopper: { channel: 'quoted-vip', at: '2090-01-15T00:00:00Z' }, requests })
  expect(dollarsOf(after)).toEqual(dollarsOf(everyone))
  const inYen = await quotes({ shopper: { channel: 'quoted' }, currency: 'JPY', requests })
  // The store does not have the currency, so its default is paid in.
  expect(dollarsOf(inYen)).toEqual(dollarsOf(everyone))
})
