import { afterAll, beforeAll, expect, test } from 'vitest'
import { publishedOf, shopOf } from '../../builders/shop/publishing.ts'
import { inTheWay, untilWaiting } from '../../support/in-the-way.ts'
import type { Any } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let shop: ReturnType<typeof shopOf>
beforeAll(async () => {
  world = await openWorld({ alone: true })
  shop = shopOf(world)
})
afterAll(() => world.close())

test('the release that the next one is based on cannot be deleted', async () => {
  const hierarchy = await shop.hierarchy()
  const node = await shop.node(hierarchy)
  await shop.put(hierarchy, node, await shop.product(), await shop.product())
  const catalog = await shop.catalog([hierarchy])
  const older = await shop.publish(catalog)
  const newest = await shop.publish(catalog)
  const paths = [`/catalogs/${catalog}/releases/${newest.id}`, `/catalogs/${catalog}/releases`]
  const { id, statuses } = await inTheWay(
    world,
    // Publishing reads them first.
    [['LOCK TABLE nodes']],
    async () => {
      const { id } = await shop.send('POST', `/catalogs/${catalog}/releases`, undefined, 201)
      await untilWaiting(world, 1)
      const statuses = []
      for (const path of [...paths, `/catalogs/${catalog}/releases/${older.id}`]) {
        statuses.push((await world.admin.delete(path)).status)
      }
      // Waits as well: now it may go on.
      await world.sql('SELECT FROM nodes')
      return { id, statuses }
    },
    [],
    2,
  )
  expect(statuses).toEqual([422, 422, 204])
  await shop.published(catalog, id)
  const again = await shop.catalog([hierarchy])
  await shop.publish(again)
  expect(await publishedOf(world, catalog)).toEqual(await publishedOf(world, again))
})

test('a deleted release is shown to nobody, even by a link that names it', async () => {
  const hierarchy = await shop.hierarchy()
  const node = await shop.node(hierarchy)
  const recalled = await shop.product({ name: 'Recalled' })
  await shop.put(hierarchy, node, recalled, await shop.product())
  const catalog = await shop.catalog([hierarchy])
  const attributes = { name: 'withdrawn', catalog_id: catalog, channels: ['withdrawn'] }
  await shop.send('POST', '/catalogs/rules', { type: 'catalog_rule', attributes }, 201)
  const deleted = await shop.publish(catalog)
  const delta = new URL(deleted.relationships.delta.links.related)
  await shop.change(recalled, { status: 'draft' })
  await shop.publish(catalog)

  const names = async (path: string): Promise<string[]> => {
    const { status, body } = await world.shopper.get(path, { 'ep-channel': 'withdrawn' })
    return status === 200 ? body.data.map(({ attributes }: Any) => attributes.name) : [String(status)]
  }
  const link = `/catalog/products?release=${deleted.id}`
  expect(await names(link)).toContain('Recalled')
  const path = `/catalogs/${catalog}/releases/${deleted.id}`
  expect((await world.admin.delete(path)).status).toBe(204)

  // What walks on by a link of the deleted release sees the current one.
  expect(await names(link)).toEqual([expect.not.stringContaining('Recalled')])
  const one = await world.shopper.get(`/catalog/products/${recalled}?release=${deleted.id}`, {
    'ep-channel': 'withdrawn',
  })
  expect(one.status).toBe(404)
  const latest = await world.admin.get(`/catalogs/${catalog}/releases/latest/products?release=${deleted.id}`)
  expect(latest.body.data).toHaveLength(1)
  for (const part of ['', '/products', `/products/${recalled}`, '/hierarchies', '/nodes']) {
    expect([part, (await world.admin.get(path + part)).status]).toEqual([part, 404])
  }
  expect((await fetch(delta)).status).toBe(404)
  const then = { 'ep-channel': 'withdrawn', 'sutler-at': deleted.attributes.published_at }
  expect((await world.admin.get('/catalog/products', then)).status).toBe(404)
})

test('a shopper walks a list to its end while its first releases are deleted', async () => {
  const hierarchy = await shop.hierarchy()
  const node = await shop.node(hierarchy)
  const ids = [await shop.product(), await shop.product(), await shop.product()]
  await shop.put(hierarchy, node, ...ids)
  const catalog = await shop.catalog([hierarchy])
  const attributes = { name: 'walks', catalog_id: catalog, channels: ['walks'] }
  await shop.send('POST', '/catalogs/rules', { type: 'catalog_rule', attributes }, 201)
  await shop.publish(catalog)
  const walkedIds: string[] = []
  for (let next: string | undefined = '/catalog/products?page[limit]=1'; next; ) {
    const { body } = await world.shopper.get(next, { 'ep-channel': 'walks' })
    walkedIds.push(...body.data.map(({ id }: Any) => id))
    next = body.links.next?.replace(world.url, '')
    for (const id of ids) await shop.change(id, { name: `Loaf after ${walkedIds.length}`, status: 'draft' })
    for (let releases = 0; releases < 2; releases++) await shop.publish(catalog)
  }
  expect(walkedIds.sort()).toEqual([...ids].sort())
})
