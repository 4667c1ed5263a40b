import { rmSync } from 'node:fs'
import { afterAll, expect, inject, test } from 'vitest'
import { Database } from '../../../server/kernel/storage/database.ts'
import { start } from '../../../server/main.ts'
import { StartupRefusal } from '../../../server/platform/faults.ts'
import { checkFeed } from '../../../tools/checking/check-feed.ts'
import { checkMoney } from '../../../tools/checking/check-money.ts'
import { checkTotals } from '../../../tools/checking/check-totals.ts'
import { dayMs } from '../../../tools/demo/past-clock.ts'
import { planFor, type ShopPlan, type ShopSize, shopSizes } from '../../../tools/demo/plan.ts'
import { seedShop } from '../../../tools/demo/seed-shop.ts'
import type { Progress } from '../../../tools/progress.ts'
import { address, guest } from '../../builders/orders/buying.ts'
import { type Client, clientOf, tokenOf } from '../../support/client.ts'
import { isLong } from '../../support/long.ts'
import { databaseUrl, ownDatabase } from '../../support/own-database.ts'
import { filesOf, secretOf, testConfig } from '../../support/world.ts'

const quiet: Progress = { add: () => {}, summary: () => '' }
const closing: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const close of closing.reverse()) await close()
})

/** A database with an empty store, in which shops are made. */
async function emptyStore() {
  const own = await ownDatabase()
  const config = testConfig(inject('postgres'), own.name)
  const url = databaseUrl(inject('postgres'), own.name)
  const database = new Database(url, 2)
  closing.push(async () => {
    await database.close()
    await own.drop()
    rmSync(filesOf(own.name), { recursive: true, force: true })
  })
  const storeId: string = (await own.sql('SELECT id FROM stores')).rows[0].id
  const seed = (plan: ShopPlan, progress = quiet, force = false) =>
    seedShop({ config, database, databaseUrl: url, storeId, plan, force, progress })
  /** Serves the store as it is now. */
  const serve = async () => {
    const server = await start(config)
    closing.push(() => server.stop())
    const client = async (grant: string) =>
      clientOf(server.url, await tokenOf(server.url, 'client-of-first', secretOf('first'), grant))
    return { server, admin: await client('client_credentials'), shopper: await client('implicit') }
  }
  return { database, seed, serve, sql: own.sql }
}

const total = async (client: Client, path: string): Promise<number> =>
  (await client.get(`${path}${path.includes('?') ? '&' : '?'}page[limit]=1`)).body.meta.results.total

/** Small, as it is made three times. */
const small = (now: Date): ShopPlan => ({
  ...planFor('s', 'small', now),
  ...{ size: 'small', counts: { products: 6, customers: 3, accounts: 1, orders: 8, carts: 1 } },
})

/** What a shop is, without what the server draws itself. */
async function contentsOf({ sql }: Awaited<ReturnType<typeof emptyStore>>) {
  const rows = async (text: string) => (await sql(text)).rows
  return {
    products:
      await rows(`SELECT doc->'attributes'->>'sku' AS sku, created_at, doc->'attributes'->>'name' AS name,
      doc->'attributes'->>'description' AS text FROM products ORDER BY 1`),
    prices: await rows(`SELECT id, created_at, doc::text FROM prices ORDER BY id`),
    customers: await rows('SELECT id, created_at, doc::text FROM customers ORDER BY id'),
    orders:
      await rows(`SELECT doc->>'order_number' AS number, created_at, updated_at, doc->>'status' AS status,
      doc->>'payment' AS payment, doc->>'shipping' AS shipping, hidden->'prices' AS prices FROM orders ORDER BY 1`),
    stock: await rows('SELECT sum(available) AS available, sum(allocated) AS allocated FROM stock_levels'),
    entries: await rows('SELECT id, created_at FROM entries ORDER BY id'),
  }
}

test('the same seed makes the same shop, also where a run is interrupted', async () => {
  const plan = small(new Date())
  const [whole, interrupted] = [await emptyStore(), await emptyStore()]
  expect(await whole.seed(plan)).toMatchObject({ isNew: true })
  for (const part of ['products', 'orders']) {
    let left = 3
    const stop: Progress = {
      summary: () => '',
      add: (_rows, _bytes, what) => {
        if (what === part) left -= 1
        if (left === 0) throw new Error('interrupted')
      },
    }
    await expect(interrupted.seed(plan, stop)).rejects.toThrow('interrupted')
  }
  expect((await interrupted.sql('SELECT FROM orders')).rowCount).toBeGreaterThan(0)
  expect((await interrupted.sql('SELECT FROM orders')).rowCount).toBeLessThan(8)
  expect(await interrupted.seed(plan)).toMatchObject({ isNew: true })
  const contents = await contentsOf(whole)
  expect(contents.orders).toHaveLength(8)
  expect(await contentsOf(interrupted)).toEqual(contents)
  expect(await interrupted.seed(plan)).toMatchObject({ isNew: false })
}, 120_000)

test('a store with other data is refused, and has the shop beside them where that is asked for', async () => {
  const store = await emptyStore()
  const { server, admin } = await store.serve()
  await admin.post('/v2/customers', { data: { type: 'customer', name: 'Ada', email: 'ada@example.com' } })
  await server.stop()
  const plan = small(new Date())
  await expect(store.seed(plan)).rejects.toThrow(StartupRefusal)
  expect((await store.sql('SELECT FROM products')).rowCount).toBe(0)
  await store.seed(plan, quiet, true)
  expect((await store.sql('SELECT FROM customers')).rowCount).toBe(1 + plan.counts.customers)
}, 120_000)

test.for((isLong ? ['s', 'm', 'l'] : ['s']) as ShopSize[])(
  'a shop of size %s has what the screens show, agrees with itself, and sells to a guest',
  { timeout: isLong ? 1_800_000 : 120_000 },
  async (size) => {
    const store = await emptyStore()
    const now = new Date()
    await store.seed(planFor(size, '1', now))
    const { admin, shopper } = await store.serve()
    const counts = shopSizes[size]

    expect(await total(admin, '/v2/orders')).toBe(counts.orders)
    expect(await total(admin, '/v2/customers')).toBe(counts.customers)
    expect(await total(admin, '/v2/accounts')).toBe(counts.accounts)
    expect(await total(admin, '/v2/carts')).toBe(counts.carts)
    expect(await total(admin, '/pcm/products')).toBeGreaterThan(counts.products)
    for (const path of ['/v2/promotions', '/v2/rule-promotions', '/v2/integrations', '/pcm/pricebooks'])
      expect(await total(admin, path)).toBeGreaterThan(2)
    const newest = (await admin.get('/v2/orders?page[limit]=1&sort=-created_at')).body.data[0]
    const oldest = (await admin.get('/v2/orders?page[limit]=1&sort=created_at')).body.data[0]
    const at = ({ meta }: typeof newest) => new Date(meta.timestamps.created_at).getTime()
    expect(at(newest)).toBeLessThan(now.getTime())
    expect(at(newest) - at(oldest)).toBeGreaterThan(250 * dayMs)
    for (const payment of ['paid', 'refunded', 'unpaid'])
      expect(await total(admin, `/v2/orders?filter=eq(payment,${payment})`), payment).toBeGreaterThan(0)

    const { name, time_zone } = (await admin.get('/v2/settings')).body.data
    expect([name, time_zone]).toEqual(['Mill Lane Goods', 'Europe/London'])
    expect(await total(admin, '/pcm/products?filter=eq(sku,DESK-SET)')).toBe(1)
    await hasEveryKind(admin)
    expect((await store.sql(twiceClaimed)).rows.map(({ users }) => Number(users))).toEqual([2])
    expect((await store.sql(declined)).rowCount).toBeGreaterThan(0)
    // A key of no account would be refused by Stripe.
    const gateways = (await admin.get('/v2/gateways')).body.data as { slug: string; enabled: boolean }[]
    expect(gateways.filter(({ enabled }) => enabled).map(({ slug }) => slug)).toEqual(['manual'])

    for (const check of [checkTotals, checkMoney, checkFeed])
      expect((await check(store.database, quiet)).differences).toEqual([])
    await buysAsGuest(shopper, admin)
  },
)

/** Identities that more than one user has. */
const twiceClaimed = `SELECT count(DISTINCT user_authentication_info_id) AS users
  FROM user_authentication_oidc_profile_infos GROUP BY doc->>'issuer', doc->>'subject' HAVING count(*) > 1`

/** Payments that a bank has declined. */
const declined = `SELECT FROM order_transactions WHERE doc->>'status' = 'failed' AND doc::text LIKE '%insufficient_funds%'`

/** There is a promotion of each kind that the API document has. */
async function hasEveryKind(admin: Client): Promise<void> {
  const { schemas } = (await admin.get('/openapi.json')).body.components
  const standard = (await admin.get('/v2/promotions?page[limit]=100')).body.data as {
    promotion_type: string
  }[]
  const kinds = schemas.Promotion.properties.promotion_type.enum as string[]
  expect([...new Set(standard.map(({ promotion_type }) => promotion_type))].sort()).toEqual(kinds.toSorted())
  const rules = (await admin.get('/v2/rule-promotions?page[limit]=100')).body.data as {
    rule_set: { actions: { strategy: string }[] }
  }[]
  const used = rules.flatMap(({ rule_set }) => rule_set.actions.map(({ strategy }) => strategy))
  // The other name of the discount of bundles is that of older documentation.
  for (const kind of ['cart_discount', 'item_discount', 'items_bundle_discount', 'shipping_discount'])
    expect(used).toContain(kind)
}

/** Opens the shop as a storefront does, and buys what it shows first. */
async function buysAsGuest(shopper: Client, admin: Client): Promise<void> {
  const { body } = await shopper.get('/catalog/products?include=main_image&page[limit]=25')
  const product = body.data.find(({ meta }: { meta: { product_types: string[] } }) =>
    meta.product_types.includes('standard'),
  )
  expect(product.meta.display_price.with_tax.currency).toBe('USD')
  const [picture] = body.included.main_images
  const answer = await fetch(picture.link.href)
  expect([answer.headers.get('content-type'), (await answer.bytes()).length > 500]).toEqual([
    'image/png',
    true,
  ])
  expect((await shopper.get('/catalog/hierarchies')).body.data).toHaveLength(2)
  const cart = `/v2/carts/${crypto.randomUUID()}`
  const item = { type: 'cart_item', id: product.id, quantity: 1 }
  expect((await shopper.post(`${cart}/items`, { data: item })).status).toBe(201)
  const checkout = { customer: guest, billing_address: address, shipping_address: address }
  const order = (await shopper.post(`${cart}/checkout`, { data: checkout })).body.data
  const payment = { gateway: 'manual', method: 'purchase' }
  expect((await shopper.post(`/v2/orders/${order.id}/payments`, { data: payment })).status).toBe(200)
  expect((await admin.get(`/v2/orders/${order.id}`)).body.data).toMatchObject({ payment: 'paid' })
}
