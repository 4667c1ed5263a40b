import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { publishedOf, shopOf } from '../../builders/shop/publishing.ts'
import type { Any } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let shop: ReturnType<typeof shopOf>
beforeAll(async () => {
  world = await openWorld({ alone: true })
  shop = shopOf(world)
})
afterAll(() => world.close())

const [products, rounds, pageLength] = [30, 6, 7]

/** Reads what shoppers read, again and again, until it is told to stop: what was wrong with the answers. */
function shoppers(ids: readonly string[]) {
  let stopped = false
  const wrong: unknown[] = []
  const counts = { pages: 0, walks: 0, reads: 0 }
  const get = async (path: string): Promise<Any> => {
    const { status, body } = await world.shopper.get(path)
    if (status === 200) return body
    stopped = true
    throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`)
  }
  const until = async (read: () => Promise<void>) => {
    while (!stopped) {
      await read().catch((error: unknown) => wrong.push(error))
      await sleep(10)
    }
  }
  const walk = async () => {
    const names: string[] = []
    let next: string | undefined = `/catalog/products?page[limit]=${pageLength}`
    while (next) {
      const { data, links, meta } = await get(next)
      counts.pages++
      if (meta.results.total !== products) wrong.push(['total', meta.results.total])
      names.push(...data.map(({ attributes }: Any) => attributes.name))
      next = links.next ?? undefined
      if (next && !next.startsWith('/')) next = next.slice(new URL(next).origin.length)
    }
    if (names.length !== products || new Set(names).size !== 1)
      wrong.push(['walk', names.length, ...new Set(names)])
    counts.walks++
  }
  const read = async () => {
    await get(`/catalog/products/${ids[counts.reads % ids.length]}`)
    counts.reads++
  }
  const running = [until(walk), until(walk), until(read)]
  return {
    counts,
    stop: async () => {
      stopped = true
      await Promise.all(running)
      return wrong
    },
  }
}

/** In one statement: between two publications nobody changes a part of them. */
const nameAll = (name: string) =>
  world.sql(
    `UPDATE products SET version = version + 1, updated_at = clock_at(store_id),
       doc = jsonb_set(doc::jsonb, '{attributes,name}', to_jsonb($2::text))::json WHERE store_id = $1`,
    [world.storeId, name],
  )

/** Ends the connections that something is being published by, and is written, as when their process is killed. */
const breakOff = () =>
  world.sql(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_xid IS NOT NULL
       AND query ~ 'published_|node_products|product_components'`,
  )

test('shoppers see one whole release after the other while publishing is repeated and interrupted', async () => {
  const hierarchy = await shop.hierarchy()
  const node = await shop.node(hierarchy)
  const ids: string[] = []
  for (let i = 0; i < products; i++) ids.push(await shop.product({ name: 'round 0' }))
  await shop.put(hierarchy, node, ...ids)
  const catalog = await shop.catalog([hierarchy])
  await shop.publish(catalog)
  const readers = shoppers(ids)
  for (let round = 1; round <= rounds; round++) {
    await nameAll(`round ${round}`)
    const { id } = await shop.send('POST', `/catalogs/${catalog}/releases`, undefined, 201)
    if (round % 3 === 0) {
      await sleep(round)
      await breakOff()
    }
    await shop.published(catalog, id)
  }
  expect(await readers.stop()).toEqual([])
  expect(readers.counts.walks).toBeGreaterThan(0)
  expect(readers.counts.reads).toBeGreaterThan(0)
  const again = await shop.catalog([hierarchy])
  await shop.publish(again)
  expect(await publishedOf(world, catalog)).toEqual(await publishedOf(world, again))
})
