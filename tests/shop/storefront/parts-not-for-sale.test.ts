import { afterAll, beforeAll, expect, test } from 'vitest'
import { shopOf } from '../../builders/shop/publishing.ts'
import { storeOf } from '../../builders/shop/storefront.ts'
import type { Any } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let shop: ReturnType<typeof shopOf>
let store: ReturnType<typeof storeOf>
beforeAll(async () => {
  world = await openWorld()
  shop = shopOf(world)
  store = storeOf(world, shop)
})
afterAll(() => world.close())

const option = (id: string, more: object = {}) => ({ id, type: 'product', quantity: 1, ...more })

let shops = 0

/** A shop with these bundles among its products, and what shoppers see of it. */
async function opened(bundles: readonly string[], prices: Record<string, number>) {
  const channel = `parts-${++shops}`
  const book = await store.pricebook()
  const { hierarchy, node } = await store.shelf()
  await shop.put(hierarchy, node, ...bundles)
  for (const [sku, amount] of Object.entries(prices)) await store.dollars(book, sku, amount)
  const catalog = await shop.catalog([hierarchy], { pricebook_id: book })
  await shop.publish(catalog)
  await store.lead(catalog, channel)
  const headers = { 'ep-channel': channel }
  return {
    verdict: async (id: string): Promise<Any> => {
      const path = `/catalogs/${catalog}/visibility?product=${id}`
      const { body } = await world.admin.get(path, headers)
      return { purchasable: body.data.purchasable, verdict: body.data.verdict, detail: body.data.detail }
    },
    publish: () => shop.publish(catalog),
    show: async (id: string): Promise<Any> => {
      const { data } = await store.read(channel, `/catalog/products/${id}`)
      return {
        selected: data.meta.bundle_configuration.selected_options,
        price: data.attributes.price?.USD.amount,
      }
    },
    search: async (filter_by: string): Promise<string[]> => {
      const body = { searches: [{ type: 'search', q: '*', filter_by }] }
      const answer = await world.shopper.post('/catalog/multi-search', body, headers)
      return answer.body.results[0].hits.map(({ document }: Any) => document.id)
    },
    configure: async (id: string, selected_options: object): Promise<Any> => {
      const { status, body } = await world.shopper.post(
        `/catalog/products/${id}/configure`,
        { data: { selected_options } },
        headers,
      )
      const { detail, source } = body.errors?.[0] ?? {}
      return [status, detail, source]
    },
  }
}

test('an option that becomes a draft is no longer selected by default, and another one replaces it', async () => {
  const [tea, coffee, jam] = [
    await shop.product({ sku: 'tea' }),
    await shop.product({ sku: 'coffee' }),
    await shop.product({ sku: 'jam' }),
  ]
  const bundle = await shop.product({
    sku: 'breakfast',
    components: {
      drink: { name: 'Drink', min: 1, max: 1, options: [option(tea, { default: true }), option(coffee)] },
      spread: { name: 'Spread', min: 0, options: [option(jam, { default: true })] },
      extra: { name: 'Extra', options: [option(coffee)] },
    },
  })
  const { show, configure, publish } = await opened([bundle], { tea: 3, coffee: 5, jam: 2 })
  expect(await show(bundle)).toEqual({
    selected: { drink: { [tea]: 1 }, spread: { [jam]: 1 }, extra: {} },
    price: 5,
  })
  await shop.change(tea, { status: 'draft' })
  await shop.change(jam, { status: 'draft' })
  await publish()
  expect(await show(bundle)).toEqual({
    selected: { drink: { [coffee]: 1 }, spread: {}, extra: {} },
    price: 5,
  })
  expect(await configure(bundle, { drink: { [coffee]: 1 } })).toEqual([200, undefined, undefined])
  expect(await configure(bundle, { drink: { [coffee]: 1 }, spread: { [jam]: 1 } })).toEqual([
    422,
    `The option ${jam} of the component spread of the bundle ${bundle} is not for sale.`,
    'data.selected_options.spread',
  ])
})

test('a bundle with a component that cannot be filled has no price, also in a bundle and in a search', async () => {
  const [pen, ink] = [await shop.product({ sku: 'pen' }), await shop.product({ sku: 'ink' })]
  const parts = { name: 'Parts', min: 2, options: [option(pen), option(ink)] }
  const set = await shop.product({ sku: 'set', components: { parts } })
  const box = await shop.product({
    sku: 'box',
    components: { inside: { name: 'Inside', min: 1, options: [option(set, { default: true })] } },
  })
  const prices = { pen: 3, ink: 5, set: 7, box: 9 }
  const { show, configure, search, publish, verdict } = await opened([set, box], prices)
  expect([(await show(set)).price, (await show(box)).price]).toEqual([7, 9])
  expect((await search('price.USD.amount:>0')).sort()).toEqual([set, box].sort())
  await shop.change(ink, { status: 'draft' })
  await publish()
  expect(await show(set)).toEqual({ selected: { parts: { [pen]: 1 } }, price: undefined })
  expect(await show(box)).toEqual({ selected: { inside: {} }, price: undefined })
  expect(await search('price.USD.amount:>0')).toEqual([])
  expect(await configure(set, { parts: { [pen]: 1 } })).toEqual([
    422,
    `The bundle ${set} cannot be bought: too few options of its component parts are for sale.`,
    'data.selected_options.parts',
  ])
  expect(await verdict(set)).toEqual({
    purchasable: false,
    verdict: 'component_unfilled',
    detail:
      'The bundle cannot be bought. Components with too few options for sale: parts. ' +
      `Options that are not for sale: ${ink}.`,
  })
  expect((await verdict(box)).detail).toContain(`Options that are not for sale: ${set}.`)
  await shop.change(ink, { status: 'live' })
  await publish()
  expect([(await show(set)).price, (await show(box)).price]).toEqual([7, 9])
})

test('a parent is for sale as long as one of its children is', async () => {
  const { parent, child } = await store.shirt()
  const bundle = await shop.product({
    sku: 'outfit',
    components: { shirt: { name: 'Shirt', min: 1, options: [option(parent.id)] } },
  })
  const { show, publish } = await opened([bundle], { outfit: 10 })
  expect(await show(bundle)).toEqual({ selected: { shirt: { [parent.id]: 1 } }, price: 10 })
  await shop.change(child.id, { status: 'draft' })
  await publish()
  expect(await show(bundle)).toEqual({ selected: { shirt: {} }, price: undefined })
})
