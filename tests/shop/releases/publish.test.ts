import { afterAll, beforeAll, expect, test } from 'vitest'
import { noEnd } from '../../../server/kernel/storage/editions.ts'
import { add } from '../../../server/kernel/write/by-rules.ts'
import { releases } from '../../../server/shop/index.ts'
import { forgetEditions } from '../../../server/shop/publishing/forget-editions.ts'
import { forgetOldReleases } from '../../../server/shop/releases/forget-releases.ts'
import { publishCatalog } from '../../../server/shop/releases/publish-catalog.ts'
import { publishedOf, shopOf } from '../../builders/shop/publishing.ts'
import type { Any } from '../../support/requests.ts'
import { until } from '../../support/until.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let shop: ReturnType<typeof shopOf>
beforeAll(async () => {
  world = await openWorld({ alone: true })
  shop = shopOf(world)
})
afterAll(() => world.close())

const idsIn = async (catalog: string) => {
  const { products } = await publishedOf(world, catalog)
  return {
    listed: products.filter(({ facts }: Any) => facts.listed).map(({ id }: Any) => id),
    only: products.filter(({ facts }: Any) => !facts.listed).map(({ id }: Any) => id),
  }
}

test('only live products in a node are published', async () => {
  const [mine, elsewhere] = [await shop.hierarchy(), await shop.hierarchy()]
  const [node, other] = [await shop.node(mine), await shop.node(elsewhere)]
  const empty = await shop.node(mine)
  const [live, draft, _loose, away] = [
    await shop.product(),
    await shop.product({ status: 'draft' }),
    await shop.product(),
    await shop.product(),
  ]
  await shop.put(mine, node, live, draft)
  await shop.put(elsewhere, other, away)
  const catalog = await shop.catalog([mine])
  const { meta, attributes } = await shop.publish(catalog)
  expect(await idsIn(catalog)).toEqual({ listed: [live], only: [] })
  expect((await publishedOf(world, catalog)).nodes.map(({ id }: Any) => id)).toEqual(
    [mine, node, empty].sort(),
  )
  expect(meta).toMatchObject({
    is_full_publish: true,
    is_full_delta: true,
    total_products: 1,
    total_nodes: 2,
    percent_completed: 100,
  })
  expect(attributes.hierarchies).toMatchObject([{ id: mine }])
})

test('options of a bundle are read through it, and listed only if they are in a node', async () => {
  const hierarchy = await shop.hierarchy()
  const node = await shop.node(hierarchy)
  const [listed, option, draft] = [
    await shop.product(),
    await shop.product(),
    await shop.product({ status: 'draft' }),
  ]
  const options = [listed, option, draft].map((id) => ({ id, type: 'product', quantity: 1 }))
  const bundle = await shop.product({ components: { some: { name: 'Some', options } } })
  await shop.put(hierarchy, node, listed, bundle)
  const catalog = await shop.catalog([hierarchy])
  await shop.publish(catalog)
  expect(await idsIn(catalog)).toEqual({ listed: [listed, bundle].sort(), only: [option] })

  await shop.change(bundle, { status: 'draft' })
  const { meta } = await shop.publish(catalog)
  expect(meta).toMatchObject({ is_full_publish: false, is_full_delta: false, total_products: 1 })
  expect(await idsIn(catalog)).toEqual({ listed: [listed], only: [] })
})

test('deleting the newest release brings back the previous one', async () => {
  const hierarchy = await shop.hierarchy()
  const node = await shop.node(hierarchy)
  const product = await shop.product({ name: 'first' })
  await shop.put(hierarchy, node, product)
  const catalog = await shop.catalog([hierarchy])
  const releases: string[] = []
  for (const name of ['first', 'second', 'third', 'fourth']) {
    await shop.change(product, { name })
    releases.push((await shop.publish(catalog)).id)
  }
  const names = async () =>
    (await publishedOf(world, catalog)).products.map(({ doc }: Any) => doc.attributes.name)
  expect(await names()).toEqual(['fourth'])
  const third = await publishedOf(world, catalog)

  await shop.send('DELETE', `/catalogs/${catalog}/releases/${releases[3]}`, undefined, 204)
  expect(await names()).toEqual(['third'])
  expect((await shop.get(`/catalogs/${catalog}/releases/latestPublished`)).data.id).toBe(releases[2])
  // What comes next is told apart from what is seen now.
  await shop.publish(catalog)
  expect(await names()).toEqual(['fourth'])
  expect(await publishedOf(world, catalog)).toEqual(third)

  await shop.send('DELETE', `/catalogs/${catalog}/releases`, undefined, 204)
  expect((await publishedOf(world, catalog)).products).toEqual([])
  expect((await world.admin.get(`/catalogs/${catalog}/releases/latestPublished`)).status).toBe(404)
  expect((await shop.publish(catalog)).meta.is_full_publish).toBe(true)
  expect(await names()).toEqual(['fourth'])
})

test('products are published again when a new version would write other rows', async () => {
  const hierarchy = await shop.hierarchy()
  const loaf = await shop.product({ name: 'Rye' })
  await shop.put(hierarchy, await shop.node(hierarchy), loaf)
  const catalog = await shop.catalog([hierarchy])
  await shop.publish(catalog)
  // As an older server left it.
  const values = [world.storeId, catalog]
  await world.sql(
    `UPDATE published_products SET hidden = (hidden::jsonb || '{"hash": "old"}')::json
     WHERE store_id = $1 AND catalog_id = $2`,
    values,
  )
  const rows = async () =>
    (
      await world.sql(
        `SELECT until < ${noEnd} AS ended FROM published_products WHERE store_id = $1 AND catalog_id = $2 ORDER BY since`,
        values,
      )
    ).rows.map(({ ended }: Any) => ended)
  await shop.publish(catalog)
  expect(await rows()).toEqual([false])
  await world.sql(
    `UPDATE catalog_editions SET made_of = (made_of::jsonb - 'layout')::json WHERE store_id = $1 AND catalog_id = $2`,
    values,
  )
  expect((await shop.publish(catalog)).meta.is_full_publish).toBe(false)
  expect(await rows()).toEqual([true, false])
})

test('a new hierarchy needs a full publish; breadcrumbs begin with the newest node', async () => {
  const [one, two] = [await shop.hierarchy(), await shop.hierarchy()]
  const [upper, top] = [await shop.node(one), await shop.node(two)]
  const lower = await shop.node(one, upper)
  const product = await shop.product()
  await shop.put(one, lower, product)
  const catalog = await shop.catalog([one])
  await shop.publish(catalog)
  const metaOf = async () => (await publishedOf(world, catalog)).products[0].doc.meta
  expect(await metaOf()).toMatchObject({
    bread_crumbs: { [lower]: [one, upper] },
    bread_crumb_nodes: [lower],
  })
  await shop.put(two, top, product)
  await shop.send(
    'PUT',
    `/catalogs/${catalog}`,
    { type: 'catalog', id: catalog, attributes: { hierarchy_ids: [two, one] } },
    200,
  )
  expect((await shop.publish(catalog)).meta.is_full_publish).toBe(true)
  expect(await metaOf()).toMatchObject({
    bread_crumbs: { [lower]: [one, upper], [top]: [two] },
    bread_crumb_nodes: [top, lower],
  })
})

test('a release can be polled however many others are published; three keep their content', async () => {
  const hierarchy = await shop.hierarchy()
  await shop.put(hierarchy, await shop.node(hierarchy), await shop.product())
  const catalog = await shop.catalog([hierarchy])
  const at = `/catalogs/${catalog}/releases`
  const releases = await Promise.all(Array.from({ length: 8 }, () => shop.send('POST', at, undefined, 201)))
  // Each client polls its own, also when all of them are published.
  await until(async () => {
    const { data } = await shop.get(at)
    return data.every(({ meta }: Any) => meta.release_status === 'PUBLISHED') || undefined
  })
  for (const { id } of releases) await shop.published(catalog, id)
  const times = (await shop.get(at)).data.map(({ id, attributes }: Any) => [attributes.published_at, id])
  const newestFirst = times
    .sort()
    .reverse()
    .map(([, id]: Any) => id)
  expect(newestFirst).toHaveLength(8)
  const statuses = async () =>
    Promise.all(
      newestFirst.map(async (id: string) => {
        const statuses = [`${at}/${id}`, `${at}/${id}/products`].map(async (path) => world.admin.get(path))
        return (await Promise.all(statuses)).map(({ status }) => status).join()
      }),
    )
  const inMinutes = (minutes: number) => {
    const { instance } = world.server
    return { ...instance, clock: { now: () => new Date(instance.clock.now().getTime() + minutes * 60_000) } }
  }
  const [whole, polled, gone] = ['200,200', '200,404', '404,404']
  expect(await statuses()).toEqual(Array(8).fill(whole))
  await forgetEditions.run(inMinutes(16))
  await forgetOldReleases.run(inMinutes(59))
  expect(await statuses()).toEqual([...Array(3).fill(whole), ...Array(5).fill(polled)])
  const { body } = await world.admin.get(`${at}/${newestFirst[7]}/products`)
  expect(body.errors[0].detail).toBe(
    'The content of this release has been deleted; only recent releases keep theirs.',
  )
  await forgetOldReleases.run(inMinutes(61))
  expect(await statuses()).toEqual([...Array(3).fill(whole), ...Array(5).fill(gone)])
  const left = (await shop.get(at)).data.map(({ id }: Any) => id)
  expect(left.sort()).toEqual(newestFirst.slice(0, 3).sort())
})

test('a catalog keeps at most 100 releases', async () => {
  const catalog = await shop.catalog([await shop.hierarchy()])
  const { id } = await shop.publish(catalog)
  await world.sql(
    `INSERT INTO catalog_releases (store_id, catalog_id, id, created_at, updated_at, doc, hidden)
     SELECT store_id, catalog_id, md5(id::text || i)::uuid, created_at, updated_at - i * interval '1 s', doc, hidden
     FROM catalog_releases, generate_series(1, 150) i WHERE store_id = $1 AND id = $2`,
    [world.storeId, id],
  )
  await shop.publish(catalog)
  const count = async () =>
    (await world.sql('SELECT FROM catalog_releases WHERE catalog_id = $1', [catalog])).rowCount
  await expect.poll(count, { timeout: 10_000 }).toBe(100)
})

test('a release says what it waits for, and fails when it is given up; shoppers see the previous one', async () => {
  const hierarchy = await shop.hierarchy()
  await shop.put(hierarchy, await shop.node(hierarchy), await shop.product())
  const catalog = await shop.catalog([hierarchy])
  const { id: before } = await shop.publish(catalog)
  const facts = { name: 'x', catalog_id: catalog, published_at: null }
  const { id } = await add(world.work, releases, [catalog], facts)
  const payload = { catalogId: catalog, releaseId: id }
  const meta = async () => (await shop.get(`/catalogs/${catalog}/releases/${id}`)).data.meta
  await world.work.transaction((work) =>
    publishCatalog.wait(work, payload, 'The database cannot be reached.'),
  )
  expect(await meta()).toMatchObject({
    release_status: 'PENDING',
    waiting_for: 'The database cannot be reached.',
  })
  await publishCatalog.giveUp(world.work, payload, 'enough')
  expect((await meta()).release_status).toBe('FAILED')
  expect(await meta()).not.toHaveProperty('waiting_for')
  // A release whose edition is written has succeeded, even if its worker dies before the release says so.
  await world.sql(
    `UPDATE catalog_releases SET hidden = (hidden::jsonb || '{"status": "IN_PROGRESS"}')::json WHERE id = $1`,
    [before],
  )
  await publishCatalog.giveUp(world.work, { catalogId: catalog, releaseId: before }, 'enough')
  const latest = (await shop.get(`/catalogs/${catalog}/releases/latestPublished`)).data
  expect([latest.id, latest.meta.release_status]).toEqual([before, 'PUBLISHED'])
})
