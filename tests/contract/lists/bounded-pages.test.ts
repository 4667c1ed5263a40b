import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Resource } from '../../../server/kernel/declare/resource.ts'
import { order } from '../../builders/orders/buying.ts'
import { isLong, some } from '../../support/long.ts'
import { type MeasuredServer, measuredServer } from '../../support/measured-server.ts'
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

const listingOf = (id: string) => listings.find((one) => one.id === id) as Listing

/** The lists whose objects are made of other tables than their own: what fills these, and what they include of them. */
const composed: Readonly<Record<string, { readonly include?: string; fill(path: string): Promise<void> }>> = {
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
  'list-catalog-hierarchy-products': { fill: fillPlaces },
  'list-catalog-node-products': { fill: fillPlaces },
}

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
  await fillLong('list-catalog-products')
  await world.sql(
    `INSERT INTO published_node_products (store_id, catalog_id, id, since, until, node_id, place, curated)
     SELECT store_id, catalog_id, p.id, p.since, p.until, m.node_id, m.place, false
     FROM published_products p JOIN (SELECT DISTINCT ON (catalog_id, node_id) * FROM published_node_products
       WHERE store_id = $1) m USING (store_id, catalog_id) ON CONFLICT DO NOTHING`,
    [world.storeId],
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
const withIncluded = paged.filter(({ id }) => composed[id]?.include)
const others = representativesOf(paged, listTraits).filter((one) => !withIncluded.includes(one))

test('every list whose objects are made of other tables is tried with them', () => {
  const ids = paged.map(({ id }) => id).filter((id) => Object.hasOwn(composed, id))
  expect(ids.sort()).toEqual(Object.keys(composed).sort())
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
    expect(longestTurnMs).toBeLessThan(turnMaxMs)
    if (isLong) await mustDelayNobody(page)
    expect((await server.size()).peakRss - peakBefore).toBeLessThan(peakMax)
  },
)

/** While one client reads the page as fast as it can, another one asks for something small. */
async function mustDelayNobody(page: string): Promise<void> {
  let isDone = false
  const waits: number[] = []
  const reading = server.readAway(page).finally(() => {
    isDone = true
  })
  while (!isDone) {
    const began = performance.now()
    await server.readAway('/v2/currencies')
    waits.push(performance.now() - began)
  }
  await reading
  waits.sort((one, other) => one - other)
  expect(waits[Math.floor(waits.length * 0.95)]).toBeLessThan(waitMaxMs)
}
