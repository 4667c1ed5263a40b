import { afterAll, beforeAll, expect, test } from 'vitest'
import { isCurrent } from '../../../server/kernel/storage/editions.ts'
import { forgetEditions } from '../../../server/shop/publishing/forget-editions.ts'
import { valueId } from '../../../server/shop/sources/value-id.ts'
import { shopOf } from '../../builders/shop/publishing.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let shop: ReturnType<typeof shopOf>
beforeAll(async () => {
  world = await openWorld({ alone: true })
  shop = shopOf(world)
})
afterAll(() => world.close())

const sides = ['published_texts', 'published_numbers']

/** The editions that rows begin in, by table. */
const begun = async (catalog: string) => {
  const of = async (table: string) => {
    const text = `SELECT array_agg(since ORDER BY since) AS all FROM ${table} WHERE catalog_id = $1`
    return (await world.sql(text, [catalog])).rows[0].all
  }
  return Promise.all(sides.map(of))
}

test('the search rows of a product are deleted with it', async () => {
  const hierarchy = await shop.hierarchy()
  const node = await shop.node(hierarchy)
  const product = await shop.product({ tags: ['a'] })
  await shop.put(hierarchy, node, product)
  const catalog = await shop.catalog([hierarchy])
  for (const tag of ['b', 'c', 'd', 'e']) {
    await shop.publish(catalog)
    // No attribute of a plain product is a number: one is written as a publication would.
    await world.sql(
      `INSERT INTO published_numbers (store_id, catalog_id, id, since, place, field, number)
       SELECT store_id, catalog_id, id, since, 1, 'x', 1 FROM published_texts WHERE catalog_id = $1 AND ${isCurrent()}`,
      [catalog],
    )
    await shop.change(product, { tags: [tag] })
  }
  expect(await begun(catalog)).toEqual(sides.map(() => [1, 2, 3, 4]))
  await shop.publish(catalog)
  // A release that is not kept goes only after the new one is told to be published.
  await expect
    .poll(async () => {
      await world.sql('UPDATE catalog_editions SET published_at = $1', [new Date(Date.now() - 3_600_000)])
      await forgetEditions.run(world.server.instance)
      return begun(catalog)
    })
    .toEqual([
      [2, 3, 4, 5],
      [2, 3, 4],
    ])
  const newest = await world.sql(
    'SELECT release_id FROM catalog_editions WHERE catalog_id = $1 AND edition = 5',
    [catalog],
  )
  await shop.send('DELETE', `/catalogs/${catalog}/releases/${newest.rows[0].release_id}`, undefined, 204)
  expect(await begun(catalog)).toEqual(sides.map(() => [2, 3, 4]))
  await shop.send('DELETE', `/catalogs/${catalog}/releases`, undefined, 204)
  expect(await begun(catalog)).toEqual(sides.map(() => null))
})

test('values that no product has are deleted when the whole catalog is published', async () => {
  const [hierarchy, another] = [await shop.hierarchy(), await shop.hierarchy()]
  const node = await shop.node(hierarchy)
  const product = await shop.product({ tags: ['a'] })
  await shop.put(hierarchy, node, product)
  const catalog = await shop.catalog([hierarchy])
  await shop.publish(catalog)
  await shop.change(product, { tags: ['b'] })
  const { id } = await shop.publish(catalog)
  await shop.send('DELETE', `/catalogs/${catalog}/releases/${id}`, undefined, 204)
  await shop.change(product, { tags: ['c'] })
  const tags = async () => {
    const text = `SELECT value FROM published_values WHERE catalog_id = $1 AND field = 'tags' ORDER BY value`
    return (await world.sql(text, [catalog])).rows.map(({ value }) => value)
  }
  await shop.publish(catalog)
  expect(await tags()).toEqual(['a', 'b', 'c'])
  const hierarchy_ids = [hierarchy, another]
  await shop.send(
    'PUT',
    `/catalogs/${catalog}`,
    { type: 'catalog', id: catalog, attributes: { hierarchy_ids } },
    200,
  )
  await shop.publish(catalog)
  // The release before has the first one still.
  expect(await tags()).toEqual(['a', 'c'])
})

test('the id of a value is the beginning of a digest, as stored rows have it', () => {
  expect(valueId('tags', 'sold')).toBe('-1473243958936098033')
})
