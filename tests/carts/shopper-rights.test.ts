import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { address, filledCart, guest, openShop, wrap } from '../builders/orders/buying.ts'
import { signUp } from '../builders/people/sign-up.ts'
import { create } from '../builders/personal-data/people.ts'
import { type Client, openWorld, type Reply, type World } from '../support/world.ts'

/** What shoppers may do is a flag of the cart settings; sellers may do it in any case. */

let world: World
beforeAll(async () => {
  world = await openWorld()
  await openShop(world, { 'Mug-1': 1200 })
})
afterAll(() => world.close())
afterEach(() => world.admin.put('/v2/settings/cart', { data: { type: 'settings', ...defaults } }))

const defaults = {
  discounts: { use_rule_promotions: false, custom_discounts_enabled: false },
  shoppers_add_custom_items: true,
  shoppers_set_cart_attributes: true,
  shoppers_see_snapshots: false,
  shoppers_set_order_references: false,
}
type Flag = Exclude<keyof typeof defaults, 'discounts'>

const set = (values: object) =>
  world.admin.put('/v2/settings/cart', { data: { type: 'settings', ...values } })
const newPath = () => `/v2/carts/${crypto.randomUUID()}`
const attributes = { custom_attributes: { vip: { type: 'boolean', value: true } } }
const preview = { snapshot_date: '2099-01-01T00:00:00Z' }
const previewOf = async (client: Client): Promise<string> => {
  const path = newPath()
  expect((await client.put(path, { data: preview })).status).toBe(200)
  return path
}

const order = async (client: Client, more: object) => {
  const data = { customer: guest, billing_address: address, ...more }
  return client.post(`${await filledCart(world.admin)}/checkout`, { data })
}

type Use = readonly [
  flag: Flag,
  how: string,
  use: (client: Client) => Promise<Reply>,
  source: string | undefined,
]

const uses: readonly Use[] = [
  [
    'shoppers_add_custom_items',
    'adds one',
    (client) => client.post(`${newPath()}/items`, { data: wrap() }),
    'data',
  ],
  [
    'shoppers_add_custom_items',
    'adds a list',
    (client) => client.post(`${newPath()}/items`, { data: [wrap()], options: { add_all_or_nothing: true } }),
    'data.0',
  ],
  [
    'shoppers_add_custom_items',
    'merges those of another cart',
    async (client) => {
      const cart_id = (await filledCart(world.admin)).split('/').at(-1)
      return client.post(`${newPath()}/items`, { data: { type: 'cart_items', cart_id } })
    },
    'data.cart_id',
  ],
  [
    'shoppers_set_cart_attributes',
    'creates a cart',
    (client) => client.post('/v2/carts', { data: attributes }),
    'data.custom_attributes',
  ],
  [
    'shoppers_set_cart_attributes',
    'makes a cart by an update',
    (client) => client.put(newPath(), { data: attributes }),
    'data.custom_attributes',
  ],
  [
    'shoppers_set_cart_attributes',
    'changes a cart',
    async (client) => client.put(await filledCart(world.admin), { data: attributes }),
    'data.custom_attributes',
  ],
  [
    'shoppers_see_snapshots',
    'creates a cart',
    (client) => client.post('/v2/carts', { data: preview }),
    'data.snapshot_date',
  ],
  [
    'shoppers_see_snapshots',
    'changes a cart',
    async (client) => client.put(await filledCart(world.admin), { data: preview }),
    'data.snapshot_date',
  ],
  [
    'shoppers_see_snapshots',
    'reads a cart of a seller',
    async (client) => client.get(await previewOf(world.admin)),
    undefined,
  ],
  [
    'shoppers_see_snapshots',
    'reads its items',
    async (client) => client.get(`${await previewOf(world.admin)}/items`),
    undefined,
  ],
  [
    'shoppers_see_snapshots',
    'adds to it',
    async (client) => client.post(`${await previewOf(world.admin)}/items`, { data: wrap() }),
    undefined,
  ],
  [
    'shoppers_see_snapshots',
    'renames it',
    async (client) => client.put(await previewOf(world.admin), { data: { name: 'Mine' } }),
    undefined,
  ],
  [
    'shoppers_see_snapshots',
    'merges it',
    async (client) => {
      const other = (await previewOf(world.admin)).split('/').at(-1)
      return client.post(`${newPath()}/items`, { data: { type: 'cart_items', cart_id: other } })
    },
    undefined,
  ],
  [
    'shoppers_set_order_references',
    'says a number',
    (client) => order(client, { order_number: 'R-1' }),
    'data.order_number',
  ],
  [
    'shoppers_set_order_references',
    'says a reference',
    (client) => order(client, { external_ref: 'erp-1' }),
    'data.external_ref',
  ],
]

test.for(uses)('%s: a shopper %s where it is true only; a seller always', async ([flag, , use, source]) => {
  const ada = await signUp(world)
  const asAda: Client = { ...world.shopper, ...withHeaders(world.shopper, ada.headers) }
  await set({ [flag]: false })
  for (const client of [world.shopper, asAda]) {
    const { status, body } = await use(client)
    expect([status, body.errors?.[0].source]).toEqual([403, source])
    expect(body.errors[0].detail).toContain(flag)
  }
  // A server with the secret of a key is a seller, also where it passes on a shopper's token.
  expect((await use(world.admin)).status).toBeLessThan(300)
  expect((await use({ ...world.admin, ...withHeaders(world.admin, ada.headers) })).status).toBeLessThan(300)
  await set({ [flag]: true })
  expect((await use(world.shopper)).status).toBeLessThan(300)
})

const withHeaders = (client: Client, headers: Record<string, string>): Partial<Client> => ({
  get: (path, more) => client.get(path, { ...headers, ...more }),
  post: (path, body, more) => client.post(path, body, { ...headers, ...more }),
  put: (path, body, more) => client.put(path, body, { ...headers, ...more }),
})

test('a new store lets shoppers add custom items and set attributes, and not the rest', async () => {
  const { shoppers_see_snapshots, shoppers_set_order_references, ...open } = (await openedSettings()).flags
  expect([shoppers_see_snapshots, shoppers_set_order_references]).toEqual([false, false])
  expect(open).toEqual({ shoppers_add_custom_items: true, shoppers_set_cart_attributes: true })
})

async function openedSettings() {
  const { data } = (await world.other.get('/v2/settings/cart')).body
  return { flags: Object.fromEntries(Object.entries(data).filter(([name]) => name.startsWith('shoppers_'))) }
}

test('a cart whose attributes a seller has set can be sent back as it is', async () => {
  await set({ shoppers_set_cart_attributes: false })
  const cart = await filledCart(world.shopper)
  await world.admin.put(cart, { data: attributes })
  expect((await world.shopper.put(cart, { data: { name: 'Mine', ...attributes } })).status).toBe(200)
  expect((await world.shopper.put(cart, { data: { custom_attributes: {} } })).status).toBe(403)
})

test('a preview that was remembered for a seller is not shown to a shopper, nor listed for its owner', async () => {
  const ada = await signUp(world)
  const cart = await previewOf(world.admin)
  await world.admin.post(`${cart}/relationships/customers`, { data: [{ type: 'customer', id: ada.id }] })
  const statuses = [
    await world.admin.get(cart),
    await world.admin.get(cart),
    await world.shopper.get(cart),
    await world.shopper.get(cart, ada.headers),
  ].map(({ status }) => status)
  expect(statuses).toEqual([200, 200, 403, 403])
  const totalOf = async () => (await world.shopper.get('/v2/carts', ada.headers)).body.meta.results.total
  expect(await totalOf()).toBe(0)
  await set({ shoppers_see_snapshots: true })
  expect(await totalOf()).toBe(1)
})

test('a custom item with the SKU of a product is refused to shoppers in any case', async () => {
  // Also of a product that no catalog has.
  const draft = { name: 'Secret', sku: 'DRAFT-1', commodity_type: 'physical', status: 'draft' }
  await create(world.admin, '/pcm/products', 'product', { attributes: draft })
  const add = (client: Client, ...skus: string[]) =>
    client.post(`${newPath()}/items`, { data: skus.map((sku) => wrap({ sku })) })
  for (const sku of ['Mug-1', 'mug-1', ' MUG-1 ', 'DRAFT-1', 'Mug-1\u200b', 'M\u00adug-1', 'Ｍｕｇ-１']) {
    const { status, body } = await add(world.shopper, sku, 'WRAP')
    expect(body.errors).toMatchObject([{ status: '403', source: 'data.0.sku', meta: { sku } }])
    expect([status, body.data.map((item: { sku: string }) => item.sku)]).toEqual([201, ['WRAP']])
  }
  const one = await world.shopper.post(`${newPath()}/items`, { data: wrap({ sku: 'Mug-1' }) })
  expect([one.status, one.body.errors[0].source]).toEqual([403, 'data.sku'])
  expect((await add(world.admin, 'Mug-1')).status).toBe(201)
  expect((await add(world.shopper, 'MUG-11', '')).body.errors).toBeUndefined()
})

const mug = { type: 'cart_item', sku: 'Mug-1', quantity: 1 }
const skusIn = ({ data = [] }: Reply['body']) => data.map(({ sku }: { sku: string }) => sku)

test('a merge leaves out the custom items that a shopper cannot add, and lists each of them', async () => {
  await set({ shoppers_add_custom_items: false })
  const cart = await filledCart(world.admin, mug, wrap({ sku: 'WRAP' }), wrap({ sku: 'BOW' }))
  const merge = { type: 'cart_items', cart_id: cart.split('/').at(-1) }
  const merged = async (client: Client, options?: object) => {
    const path = `${newPath()}/items`
    const { status, body } = await client.post(path, { data: merge, ...(options && { options }) })
    return { status, body, skus: skusIn((await client.get(path)).body) }
  }
  const { status, body, skus } = await merged(world.shopper)
  expect([status, skus]).toEqual([201, ['Mug-1']])
  const { data: items } = (await world.admin.get(`${cart}/items`)).body
  expect(body.errors).toMatchObject(
    items.slice(1).map(({ id, sku }: { id: string; sku: string }) => ({
      ...{ status: '403', source: 'data.cart_id', meta: { id, sku } },
    })),
  )
  const strict = await merged(world.shopper, { add_all_or_nothing: true })
  expect([strict.status, strict.skus]).toEqual([403, []])
  expect((await merged(world.admin)).skus).toEqual(['Mug-1', 'WRAP', 'BOW'])
  await set({ shoppers_add_custom_items: true })
  expect((await merged(world.shopper)).skus).toEqual(['Mug-1', 'WRAP', 'BOW'])
})

test('a merge leaves out custom items with the SKU of a product, which may have been free when they were written', async () => {
  const cart = await filledCart(world.shopper, wrap({ sku: 'later-1' }), wrap({ sku: 'WRAP' }))
  const later = { name: 'Later', sku: 'LATER-1', commodity_type: 'physical', status: 'draft' }
  await create(world.admin, '/pcm/products', 'product', { attributes: later })
  const data = { type: 'cart_items', cart_id: cart.split('/').at(-1) }
  const { status, body } = await world.shopper.post(`${newPath()}/items`, { data })
  expect([status, skusIn(body)]).toEqual([201, ['WRAP']])
  expect(body.errors).toMatchObject([{ status: '403', source: 'data.cart_id', meta: { sku: 'later-1' } }])
})

test('a shopper cannot turn on rule promotions where the store has them off', async () => {
  const on = { discount_settings: { use_rule_promotions: true, custom_discounts_enabled: false } }
  const cart = await filledCart(world.shopper)
  const refused = [
    await world.shopper.post('/v2/carts', { data: on }),
    await world.shopper.put(cart, { data: on }),
    await world.shopper.put(newPath(), { data: on }),
  ]
  const source = 'data.discount_settings.use_rule_promotions'
  expect(refused.map(({ status, body }) => [status, body.errors[0].source])).toEqual(
    Array(3).fill([403, source]),
  )
  // A cart for which a seller has turned them on keeps them, whatever the shopper sends with it.
  expect((await world.admin.put(cart, { data: on })).status).toBe(200)
  expect((await world.shopper.put(cart, { data: { name: 'Mine', ...on } })).status).toBe(200)
  const off = { discount_settings: { use_rule_promotions: false } }
  expect((await world.shopper.put(cart, { data: off })).status).toBe(200)
  expect((await world.shopper.put(cart, { data: on })).status).toBe(403)
  await set({ discounts: { use_rule_promotions: true, custom_discounts_enabled: false } })
  expect((await world.shopper.put(cart, { data: on })).status).toBe(200)
})
