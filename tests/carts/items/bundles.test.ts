import { afterAll, beforeAll, expect, test } from 'vitest'
import { shopOf } from '../../builders/shop/publishing.ts'
import { storeOf } from '../../builders/shop/storefront.ts'
import type { Any } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

/** What of bundles, and of products with variations, can be put into a cart. */

let world: World
let shop: ReturnType<typeof shopOf>
let store: ReturnType<typeof storeOf>
/** One of two breads, and any of the extras; the bundle has a price of its own. */
let basket: string
/** A shirt of any size, and a tie. */
let suit: string
let ids: Record<'rye' | 'bun' | 'jam' | 'vault' | 'tie', string>
let shirt: { readonly parent: { id: string; sku: string }; readonly child: { id: string; sku: string } }

const option = (id: string, more: object = {}) => ({ id, type: 'product', quantity: 1, ...more })

beforeAll(async () => {
  world = await openWorld()
  shop = shopOf(world)
  store = storeOf(world, shop)
  const book = await store.pricebook()
  const { hierarchy, node } = await store.shelf()
  const skus = ['rye', 'bun', 'jam', 'vault', 'tie'] as const
  ids = Object.fromEntries(
    await Promise.all(skus.map(async (sku) => [sku, await shop.product({ sku })] as const)),
  ) as typeof ids
  shirt = await store.shirt()
  basket = await shop.product({
    sku: 'basket',
    components: {
      bread: {
        name: 'Bread',
        min: 1,
        max: 1,
        options: [option(ids.rye, { default: true }), option(ids.bun)],
      },
      extras: { name: 'Extras', options: [option(ids.jam, { min: 1, max: 3 })] },
    },
  })
  suit = await shop.product({
    sku: 'suit',
    components: {
      shirt: { name: 'Shirt', min: 1, max: 1, options: [option(shirt.parent.id)] },
      tie: { name: 'Tie', min: 0, options: [option(ids.tie)] },
    },
  })
  await shop.put(hierarchy, node, ...Object.values(ids), shirt.parent.id, basket, suit)
  for (const [sku, amount] of [
    ['rye', 300],
    ['bun', 100],
    ['jam', 250],
    ['vault', 900_000],
    ['tie', 1500],
    ['basket', 550],
    [shirt.parent.sku, 2000],
  ] as const) {
    await store.dollars(book, sku, amount)
  }
  await shop.publish(await shop.catalog([hierarchy], { pricebook_id: book }))
})
afterAll(() => world.close())

let counter = 0
const newCart = () => `/v2/carts/bundles-${++counter}`
const add = (cart: string, data: unknown, options?: object) =>
  world.shopper.post(`${cart}/items`, { data, ...(options && { options }) })
const bundle = (id: string, selected_options?: object) => ({
  ...{ type: 'cart_item', id, quantity: 1 },
  ...(selected_options && { bundle_configuration: { selected_options } }),
})
const itemsIn = async (cart: string): Promise<Any[]> => (await world.shopper.get(`${cart}/items`)).body.data
const details = ({ body }: Any): string[] => body.errors.map(({ detail }: Any) => detail)

test('a selection is checked as configure checks it, and nothing of a wrong one is added', async () => {
  const { rye, bun, jam, vault } = ids
  for (const [selected, detail, component] of [
    [{ bread: { [rye]: 1 }, safe: { [vault]: 1 } }, 'No such component safe', 'safe'],
    [{ bread: { [vault]: 1 } }, `No option ${vault} for component bread`, 'bread'],
    [{ bread: { [rye]: 2 } }, `No option 2 for option ${rye}`, 'bread'],
    [{ bread: { [rye]: 1 }, extras: { [jam]: 4 } }, `No option 4 for option ${jam}`, 'extras'],
    [{ extras: { [jam]: 1 } }, 'Missing selection for component bread', 'bread'],
    [{}, 'Missing selection for component bread', 'bread'],
    [{ bread: { [rye]: 1, [bun]: 1 } }, 'Too many options for component bread: at most 1', 'bread'],
  ] as const) {
    const cart = newCart()
    const refused = await add(cart, bundle(basket, selected))
    expect([refused.status, details(refused)]).toEqual([422, [detail]])
    expect(refused.body.errors[0]).toMatchObject({
      source: `data.bundle_configuration.selected_options.${component}`,
      meta: { id: basket },
    })
    expect(await itemsIn(cart)).toEqual([])
    const configured = await world.shopper.post(`/catalog/products/${basket}/configure`, {
      data: { selected_options: selected },
    })
    expect([configured.status, details(configured)]).toEqual([422, [detail]])
  }
})

test('a selection of a product that is not a bundle is refused', async () => {
  const refused = await add(newCart(), bundle(ids.rye, { bread: { [ids.bun]: 1 } }))
  expect([refused.status, details(refused)]).toEqual([
    422,
    [`The product ${ids.rye} is not a bundle, so it has no options to select.`],
  ])
})

test('of many items, those with a wrong selection are refused, also by their SKU', async () => {
  const { bun, jam, vault } = ids
  const right = bundle(basket, { bread: { [bun]: 1 }, extras: { [jam]: 3 } })
  const wrong = { ...bundle(basket, { bread: { [vault]: 1 } }), id: undefined, sku: 'basket' }
  const cart = newCart()
  const { status, body } = await add(cart, [wrong, right])
  expect([status, body.errors.map(({ status: one, source }: Any) => [one, source])]).toEqual([
    201,
    [['422', 'data.0.bundle_configuration.selected_options.bread']],
  ])
  expect((await itemsIn(cart)).map((item) => [item.sku, item.value.amount, item.components])).toEqual([
    [
      'basket',
      550,
      {
        bread: { name: 'Bread', options: [{ id: bun, type: 'product', quantity: 1 }] },
        extras: { name: 'Extras', options: [{ id: jam, type: 'product', quantity: 3 }] },
      },
    ],
  ])
  const strict = newCart()
  expect((await add(strict, [right, wrong], { add_all_or_nothing: true })).status).toBe(422)
  expect(await itemsIn(strict)).toEqual([])
})

test('components without `selected_options` around them are the selection', async () => {
  const cart = newCart()
  const item = {
    type: 'cart_item',
    id: basket,
    quantity: 1,
    bundle_configuration: { bread: { [ids.bun]: 1 } },
  }
  expect((await add(cart, item)).status).toBe(201)
  expect((await add(cart, [item])).status).toBe(201)
  expect((await itemsIn(cart)).map((one) => [one.quantity, one.bundle_configuration])).toEqual([
    [2, { selected_options: { bread: { [ids.bun]: 1 } } }],
  ])
  const refused = await add(cart, { ...item, bundle_configuration: { bread: { [ids.vault]: 1 } } })
  expect([refused.status, details(refused)]).toEqual([422, [`No option ${ids.vault} for component bread`]])
  const shapeless = await add(cart, { ...item, bundle_configuration: { bread: 'rye' } })
  expect([shapeless.status, shapeless.body.errors[0].source]).toEqual([
    400,
    'data.bundle_configuration.selected_options.bread',
  ])
})

test('a base product cannot be put into a cart, by id or SKU, alone or as the option of a bundle', async () => {
  const { parent, child } = shirt
  for (const item of [
    { type: 'cart_item', id: parent.id, quantity: 1 },
    { type: 'cart_item', sku: parent.sku, quantity: 1 },
    bundle(suit),
    bundle(suit, { shirt: { [parent.id]: 1 } }),
  ]) {
    const cart = newCart()
    const refused = await add(cart, item)
    expect([refused.status, details(refused)]).toEqual([422, [expect.stringContaining('Choose a variation')]])
    expect(await itemsIn(cart)).toEqual([])
  }
  const cart = newCart()
  await add(cart, { type: 'cart_item', id: child.id, quantity: 1 })
  await add(cart, bundle(suit, { shirt: { [child.id]: 1 }, tie: { [ids.tie]: 1 } }))
  expect((await itemsIn(cart)).map(({ sku, value }) => [sku, value.amount])).toEqual([
    [child.sku, 2000],
    ['suit', 3500],
  ])
})

test('a bundle that is changed while it is in a cart is not sold with an option that it no longer has', async () => {
  const hierarchy = await shop.hierarchy()
  const node = await shop.node(hierarchy)
  const book = await store.pricebook()
  const [one, other] = [await shop.product({ sku: 'one' }), await shop.product({ sku: 'other' })]
  const offering = (...options: string[]) => ({
    pair: { name: 'Pair', min: 1, max: 1, options: options.map((id) => option(id)) },
  })
  const pair = await shop.product({ sku: 'pair', components: offering(one, other) })
  await shop.put(hierarchy, node, one, other, pair)
  await store.dollars(book, 'pair', 700)
  const catalog = await shop.catalog([hierarchy], { pricebook_id: book })
  await shop.publish(catalog)
  await store.lead(catalog, 'pairs')
  const cart = newCart()
  const added = await world.shopper.post(
    `${cart}/items`,
    { data: bundle(pair, { pair: { [other]: 1 } }) },
    { 'ep-channel': 'pairs' },
  )
  expect(added.status).toBe(201)
  await shop.change(pair, { components: offering(one) })
  await shop.publish(catalog)
  const address = { first_name: 'Ada', last_name: 'Bloom', line_1: '12 Mill Lane', region: 'Cambridgeshire' }
  const place = { ...address, postcode: 'CB7 4AA', country: 'GB' }
  const customer = { name: 'Ada Bloom', email: 'ada@example.com' }
  const order = await world.shopper.post(`${cart}/checkout`, {
    data: { customer, billing_address: place, shipping_address: place },
  })
  expect([order.status, order.body.errors[0].title]).toEqual([400, 'Product not for sale'])
})
