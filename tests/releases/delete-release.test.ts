import { afterAll, beforeAll, expect, test } from 'vitest'
import { inTheWay, untilWaiting } from '../support/in-the-way.ts'
import { openWorld, type World } from '../support/world.ts'
import { publishedOf, shopOf } from './shop.ts'

let world: World
let shop: ReturnType<typeof shopOf>
beforeAll(async () => {
  world = await openWorld()
  shop = shopOf(world)
})
afterAll(() => world.close())

test('what the next release is being made from is not deleted: shoppers see all of that', async () => {
  const hierarchy = await shop.hierarchy()
  const node = await shop.node(hierarchy)
  await shop.put(hierarchy, node, await shop.product(), await shop.product())
  const catalog = await shop.catalog([hierarchy])
  const older = await shop.publish(catalog)
  const newest = await shop.publish(catalog)
  const paths = [`/catalogs/${catalog}/releases/${newest.id}`, `/catalogs/${catalog}/releases`]
  const { id, statuses } = await inTheWay(
    world,
    // Whoever publishes looks at them.
    [['LOCK TABLE price_modifiers']],
    async () => {
      const { id } = await shop.send('POST', `/catalogs/${catalog}/releases`, undefined, 201)
      await untilWaiting(world, 1)
      const statuses = []
      for (const path of [...paths, `/catalogs/${catalog}/releases/${older.id}`]) {
        statuses.push((await world.admin.delete(path)).status)
      }
      // Waits as well: now it may go on.
      await world.sql('SELECT FROM price_modifiers')
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
