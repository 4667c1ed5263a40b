import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Resource } from '../../../server/kernel/declare/resource.ts'
import { cartPath } from '../../builders/carts/cart-samples.ts'
import { customDiscount } from '../../builders/carts/custom-discounts.ts'
import { order } from '../../builders/orders/buying.ts'
import { operations } from '../../builders/samples.ts'
import { isLong, some } from '../../support/long.ts'
import { heldUpMs, type MeasuredServer, measuredServer } from '../../support/measured-server.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'
import { listTraits, representativesOf } from '../classes.ts'
import { isTable } from '../clone-rows.ts'
import { fill, type Listing, listings, samplesOfEach } from '../listings.ts'

/**
 * A page whose objects are long, with all that it may include, is never in memory as a whole. Its client stops early
 * in it: then the server holds what it keeps of the part that it has made, and of the part that is to come. With its
 * garbage it never grows by more than 100 MB. The long run also reads each page beside another client.
 *
 * The server has answered usual requests before: its memory grows with its first ones, whatever they are.
 */

let world: World
let server: MeasuredServer
let samplesOf: ReturnType<typeof samplesOfEach>
/** Of a server that has answered small requests only. */
let peakBefore = 0
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
  server = await measuredServer(world)
  samplesOf = samplesOfEach(world)
  for (let i = 0; i < 200; i++) await server.readAway('/v2/currencies')
  peakBefore = (await server.size()).peakRss
})
afterAll(async () => {
  await server.close()
  await world.close()
})

const rows = isLong ? 100 : 40
const chars = isLong ? 500_000 : 300_000
/** A few objects in their forms: a row, its values, its text, and what waits on its connections. */
const heldMax = 30 * chars
/** A shorter page may be in the buffers between two sockets as a whole. */
const longPageMin = 1.5 * rows * chars
/** Processor time: a long object takes some milliseconds, and a collection of garbage may come in its turn. */
const turnMaxMs = 60
/** All pages together: garbage of one is in the memory of the next. */
const peakMax = 100 * 1024 * 1024
const waitMaxMs = 100
/** The long form writes and reads some hundred megabytes of each list. */
const timeoutMs = isLong ? 300_000 : 60_000

const listingOf = (id: string) => listings.find((one) => one.id === id) as Listing

const shopIncludes = 'main_image,files,component_products'

/** What fills a list whose objects are made of other tables than its own, and what it includes of them. */
interface ListFill {
  readonly include?: string
  /** Only in the long form: another list runs the same code. */
  readonly long?: true
  fill(path: string): Promise<void>
}

const composed: Readonly<Record<string, ListFill>> = {
  'list-orders': {
    include: 'items,tax_items,custom_discounts,promotions,account,account_member',
    async fill() {
      await order(world.admin)
      await world.sql(
        `INSERT INTO orders (store_id, id, created_at, updated_at, doc, hidden)
         SELECT store_id, gen_random_uuid(), created_at, updated_at, doc, (hidden::jsonb - 'cart')::json
         FROM orders, generate_series(2, $2::int) WHERE store_id = $1`,
        [world.storeId, rows],
      )
      await world.sql(
        `INSERT INTO order_contents (store_id, order_id, doc)
         SELECT store_id, o.id, jsonb_set(c.doc::jsonb, '{contents,lines,0,name}', to_jsonb(repeat('é', $2)))::json
         FROM orders o JOIN order_contents c USING (store_id) WHERE store_id = $1 AND c.order_id <> o.id`,
        [world.storeId, chars],
      )
    },
  },
  'list-products': {
    include: 'component_products',
    async fill() {
      await fillLong('list-products')
      await world.sql(
        `INSERT INTO product_components (store_id, bundle_id, id, created_at, updated_at, doc)
         SELECT store_id, id, coalesce(lag(id) OVER (ORDER BY id), id), created_at, updated_at, '{}' FROM products
         WHERE store_id = $1`,
        [world.storeId],
      )
    },
  },
  'list-carts': { include: 'custom_discounts', fill: fillCarts },
  'list-catalog-products': { include: shopIncludes, fill: () => fillShown('list-catalog-products') },
  'list-catalog-product-children': {
    ...{ include: shopIncludes, long: true },
    fill: (path) => fillShown('list-catalog-product-children', path),
  },
  'list-catalog-hierarchy-products': { include: shopIncludes, long: true, fill: fillPlaces },
  'list-catalog-node-products': { include: shopIncludes, long: true, fill: fillPlaces },
}

/** What `include` of these names is refused if it has too many characters. */
const bounded = ['list-flow-entries']

/** Fills a list with long objects. */
async function fillLong(id: string, path?: string): Promise<void> {
  const listing = listingOf(id)
  await fill(world, samplesOf(listing), listing, path ?? listing.path, rows)
  await lengthenRows(listing.specimen.resource)
}

/** Puts long products in each node that has one. */
async function fillPlaces(path: string): Promise<void> {
  const listing = listingOf('list-catalog-node-products')
  await fill(world, samplesOf(listing), listing, path, rows)
  await fillShown('list-catalog-products')
  await world.sql(
    `INSERT INTO published_node_products (store_id, catalog_id, id, since, until, node_id, place, curated)
     SELECT store_id, catalog_id, p.id, p.since, p.until, m.node_id, m.place, false
     FROM published_products p JOIN (SELECT DISTINCT ON (catalog_id, node_id) * FROM published_node_products
       WHERE store_id = $1) m USING (store_id, catalog_id) ON CONFLICT DO NOTHING`,
    [world.storeId],
  )
}

/** Gives long products long pictures, and every other one a long option. */
async function fillShown(id: string, path?: string): Promise<void> {
  await fillLong('list-files')
  await fillLong(id, path)
  await world.sql(
    `WITH picture AS (SELECT id, row_number() OVER (ORDER BY id) AS n FROM files WHERE store_id = $1),
     product AS (
       SELECT catalog_id, id, since, row_number() OVER (ORDER BY id) AS n,
         lead(id) OVER (PARTITION BY catalog_id ORDER BY id) AS next
       FROM published_products WHERE store_id = $1)
     UPDATE published_products p SET doc = jsonb_set(
       CASE WHEN one.n % 2 = 0 THEN doc::jsonb ELSE jsonb_set(doc::jsonb, '{attributes,components}',
         jsonb_build_object('part', jsonb_build_object('name', 'Part', 'options', jsonb_build_array(
           jsonb_build_object('type', 'product', 'id', coalesce(next, one.id), 'quantity', 1))))) END,
       '{relationships}', jsonb_build_object(
         'main_image', jsonb_build_object('data', jsonb_build_object('type', 'main_image', 'id', f.id)),
         'files', jsonb_build_object('data', jsonb_build_array(jsonb_build_object('type', 'file', 'id', f.id)))))
     FROM product one JOIN picture f ON f.n = one.n % 10 + 1
     WHERE p.store_id = $1 AND p.catalog_id = one.catalog_id AND p.id = one.id AND p.since = one.since`,
    [world.storeId],
  )
}

/** Gives carts a discount with a long text, which is no part of what lists show of them. */
async function fillCarts(path: string): Promise<void> {
  const listing = listingOf('list-carts')
  await fill(world, samplesOf(listing), listing, path, rows)
  const cart = await cartPath(world.admin)
  const item = { type: 'custom_item', name: 'Wrap', quantity: 1, price: { amount: 100 } }
  await world.admin.post(`${cart}/items`, { data: item })
  await world.admin.post(`${cart}/custom-discounts`, { data: [customDiscount(-10)] })
  await world.sql(
    `UPDATE carts SET hidden = one.hidden,
       inside = jsonb_set(one.inside::jsonb, '{contents,customDiscounts,0,description}', to_jsonb(repeat('é', $2)))::json
     FROM (SELECT * FROM carts WHERE store_id = $1 AND inside::jsonb->'contents'->'customDiscounts' <> '[]' LIMIT 1) one
     WHERE carts.store_id = $1`,
    [world.storeId, chars],
  )
}

const lengthenRows = ({ table, envelope }: Resource) =>
  world.sql(
    `UPDATE ${table} SET doc = jsonb_set(doc::jsonb, $3, to_jsonb(repeat('é', $2)))::json WHERE store_id = $1`,
    [world.storeId, chars, envelope.fields === 'attributes' ? ['attributes', 'pad'] : ['pad']],
  )

const paged = listings.filter(
  ({ specimen: { resource } }) => isTable(resource) && !resource.shownAs && !resource.whole && !resource.most,
)
const withIncluded = paged.filter(({ id }) => composed[id]?.include && (isLong || !composed[id].long))
const others = representativesOf(paged, listTraits).filter(({ id }) => !composed[id]?.include)

test('every list whose objects are made of other tables is tried with them', () => {
  const ids = paged.map(({ id }) => id).filter((id) => Object.hasOwn(composed, id))
  expect(ids.sort()).toEqual(Object.keys(composed).sort())
})

test('every list whose action takes `include` is tried with it', () => {
  const ids = operations.flatMap(({ id, of }) => (of.is === 'action' && of.action.query?.include ? id : []))
  const expected = paged.map(({ id }) => id).filter((id) => ids.includes(id) && !bounded.includes(id))
  expect(
    Object.keys(composed)
      .filter((id) => composed[id]?.include && id !== 'list-products')
      .sort(),
  ).toEqual(expected.sort())
})

test.each([...withIncluded, ...some(2, others)].map((listing) => [listing.id, listing] as const))(
  '%s holds a few long objects at a time',
  async (id, listing) => {
    const path = await samplesOf(listing).path(listing.path)
    await (composed[id]?.fill(path) ?? fillLong(id, path))
    const names = composed[id]?.include ?? Object.keys(listing.specimen.resource.include ?? {}).join(',')
    const page = `${path}?page[limit]=100${names && `&include=${names}`}`
    // The first page prepares statements, and compiles code.
    await server.readAway(page)
    await server.size()
    const { status, bytes } = await server.readAway(page)
    const { longestTurnMs } = await server.size()
    expect(status).toBe(200)
    if (composed[id]) expect(bytes).toBeGreaterThan(longPageMin)
    expect((await server.size()).peakRss - peakBefore).toBeLessThan(peakMax)
    expect(longestTurnMs).toBeLessThan(turnMaxMs)
    if (isLong) await mustDelayNobody(page)
    // What a client that stops holds of it may be in the buffers of the sockets.
    if (bytes < longPageMin) return

    // A connection holds its last response until the next one.
    await server.readAway('/v2/currencies')
    const before = await server.held()
    let held = 0
    await server.readAway(page, {
      at: bytes / 4,
      async meanwhile() {
        held = (await server.held()).heldBytes - before.heldBytes
      },
    })
    expect(held).toBeLessThan(heldMax)
    expect((await server.size()).peakRss - peakBefore).toBeLessThan(peakMax)
  },
  timeoutMs,
)

/**
 * While one client reads the page as fast as it can, another one asks for something small. The machine may have other
 * work: the time in which it gave no processor to the server, or none to the clients, does not count, and the best of
 * three tries does.
 */
async function mustDelayNobody(page: string): Promise<void> {
  let best = Number.POSITIVE_INFINITY
  for (let i = 0; i < 3 && best >= waitMaxMs; i++) best = Math.min(best, await waitBeside(page))
  expect(best).toBeLessThan(waitMaxMs)
}

/** How long 95 % of the small requests wait at most. */
async function waitBeside(page: string): Promise<number> {
  let isDone = false
  const waits: number[] = []
  const reading = server.readAway(page).finally(() => {
    isDone = true
  })
  while (!isDone) {
    const began = performance.now()
    const [serverBefore, clientBefore] = [server.heldUpMs(), heldUpMs('thread-self')]
    await server.readAway('/v2/currencies')
    const wait = performance.now() - began
    waits.push(wait - Math.max(server.heldUpMs() - serverBefore, heldUpMs('thread-self') - clientBefore))
  }
  await reading
  waits.sort((one, other) => one - other)
  return waits[Math.floor(waits.length * 0.95)] as number
}
