import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../support/world.ts'
import { type Any, publishedOf, shopOf } from './shop.ts'

let world: World
let shop: ReturnType<typeof shopOf>
beforeAll(async () => {
  world = await openWorld()
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

test('what is live and in a node is published, and nothing else', async () => {
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

test('options of a bundle are reached through it, and listed only where they are in a node', async () => {
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

test('the release that shoppers see and two before it are kept; to delete the newest brings back the one before', async () => {
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
  const { data } = await shop.get(`/pcm/catalogs/${catalog}/releases`)
  expect(data.map(({ id }: Any) => id)).toEqual(releases.slice(1).reverse())
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

test('products are looked at again when they would be published as other rows than before', async () => {
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
        `SELECT until < 2147483647 AS ended FROM published_products WHERE store_id = $1 AND catalog_id = $2 ORDER BY since`,
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

test('a hierarchy more is a full publish; the breadcrumbs tell the newest node first', async () => {
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
