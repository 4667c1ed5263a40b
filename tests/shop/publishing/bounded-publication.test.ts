import { afterAll, beforeAll, expect, test } from 'vitest'
import { shopOf } from '../../builders/shop/publishing.ts'
import { isLong } from '../../support/long.ts'
import { type MeasuredServer, measuredServer } from '../../support/measured-server.ts'
import type { Any } from '../../support/requests.ts'
import { until } from '../../support/until.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'

/** A job reads and writes products in parts of bounded size: an operator's server also serves requests. */

let world: World
let server: MeasuredServer
beforeAll(async () => {
  world = await openWorld({ ...appAndWorkshop, alone: true })
})
afterAll(async () => {
  await server?.close()
  await world.close()
})

const [count, chars] = isLong ? [100, 500_000] : [40, 300_000]
const peakMax = 80 * 1024 * 1024

test('A catalog of long products is published in little memory', async () => {
  const shop = shopOf(world)
  const hierarchy = await shop.hierarchy()
  const node = await shop.node(hierarchy)
  const ids: string[] = []
  for (let i = 0; i < count; i++) ids.push(await shop.product())
  await shop.put(hierarchy, node, ...ids)
  const catalog = await shop.catalog([hierarchy])
  await world.sql(
    `UPDATE products SET doc = jsonb_set(doc::jsonb, '{attributes,description}', to_jsonb(repeat('é', $2)))::json
     WHERE store_id = $1`,
    [world.storeId, chars],
  )
  // Now only the measured server works jobs.
  await world.server.stop()
  server = await measuredServer(world)
  for (let i = 0; i < 200; i++) await server.readAway('/v2/currencies')
  const before = await server.size()
  const release = await publish(`${server.url}/catalogs/${catalog}/releases`)
  expect(release.meta.release_status).toBe('PUBLISHED')
  expect(release.meta.total_products).toBe(count)
  expect((await server.size()).peakRss - before.peakRss).toBeLessThan(peakMax)
})

async function publish(releases: string): Promise<Any> {
  const headers = { authorization: `Bearer ${world.admin.token}` }
  const send = async (url: string, method = 'GET'): Promise<Any> =>
    ((await (await fetch(url, { method, headers })).json()) as Any).data
  const { id } = await send(releases, 'POST')
  return until(async () => {
    const release = await send(`${releases}/${id}`)
    return /PUBLISHED|FAILED/.test(release.meta.release_status) ? release : undefined
  })
}
