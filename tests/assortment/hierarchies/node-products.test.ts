import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fresh, makeHierarchy, makeNode, namesIn, nodePath } from '../../builders/assortment/hierarchies.ts'
import { type Client, openWorld, type Reply, type World } from '../../support/world.ts'

let world: World
let hierarchy: string
beforeAll(async () => {
  world = await openWorld()
  hierarchy = (await makeHierarchy(world.admin)).id
})
afterAll(() => world.close())

const links = (...ids: string[]) => ({ data: ids.map((id) => ({ type: 'product', id })) })

async function makeProduct(name: string, client: Client = world.admin): Promise<string> {
  const attributes = { name, commodity_type: 'physical', sku: fresh('sku') }
  const { status, body } = await client.post('/pcm/products', { data: { type: 'product', attributes } })
  expect([status, body.errors]).toEqual([201, undefined])
  return body.data.id
}

interface ShownProduct {
  readonly attributes: { readonly curated_product?: boolean }
}

/** A node with products of these names. */
async function filled(...names: string[]) {
  const { admin } = world
  const path = nodePath(hierarchy, (await makeNode(admin, hierarchy)).id)
  const ids: string[] = []
  for (const name of names) ids.push(await makeProduct(name))
  const related = `${path}/relationships/products`
  const added = await admin.post(related, links(...ids))
  expect([added.status, `/pcm/hierarchies/${hierarchy}/nodes/${added.body.data.id}`]).toEqual([201, path])
  const curate = (...curated: string[]) =>
    admin.put(path, { data: { type: 'node', attributes: { curated_products: curated } } })
  const takeOff = (...some: string[]) =>
    admin.send('DELETE', related, { body: JSON.stringify(links(...some)) })
  const list = (query = ''): Promise<Reply> => admin.get(`${path}/products${query}`)
  return { path, related, ids, curate, takeOff, list }
}

const curatedIn = async (path: string) =>
  (await world.admin.get(path)).body.data.attributes.curated_products ?? []

test('curated products come first, in their order, then the most recently changed ones', async () => {
  const { path, ids, curate, list } = await filled('P1', 'P2', 'P3', 'P4')
  const [p1, p2, p3] = ids as [string, string, string, string]
  expect(namesIn(await list())).toEqual(['P4', 'P3', 'P2', 'P1'])
  const { status, body } = await curate(p3, p1)
  expect([status, body.data.attributes.curated_products]).toEqual([200, [p3, p1]])
  const shown = await list()
  expect(namesIn(shown)).toEqual(['P3', 'P1', 'P4', 'P2'])
  expect(shown.body.data.map(({ attributes }: ShownProduct) => attributes.curated_product)).toEqual([
    true,
    true,
    undefined,
    undefined,
  ])
  const attributes = { description: 'changed' }
  await world.admin.put(`/pcm/products/${p2}`, { data: { type: 'product', id: p2, attributes } })
  await world.admin.put(`/pcm/products/${p1}`, { data: { type: 'product', id: p1, attributes } })
  expect(namesIn(await list()), 'P2 and P1 were changed').toEqual(['P3', 'P1', 'P2', 'P4'])
  await curate(p1)
  expect(namesIn(await list())).toEqual(['P1', 'P2', 'P4', 'P3'])
  await curate()
  expect(namesIn(await list())).toEqual(['P1', 'P2', 'P4', 'P3'])
  expect(await curatedIn(path)).toEqual([])
})

test('adding a product again and removing a missing one are not errors', async () => {
  const { related, ids, takeOff, list } = await filled('One', 'Two')
  const again = await world.admin.post(related, links(...ids, ...ids))
  expect([again.status, again.body.data.type]).toEqual([201, 'node'])
  expect((await list()).body.meta.results.total).toBe(2)
  for (const _ of [1, 2]) {
    const taken = await takeOff(ids[0] as string, randomUUID())
    expect([taken.status, taken.body.data.type]).toEqual([200, 'node'])
    expect(namesIn(await list())).toEqual(['Two'])
  }
})

test('a product that leaves the node in any way leaves its curated products', async () => {
  const { path, ids, curate, takeOff } = await filled('A', 'B', 'C')
  const [a, b, c] = ids as [string, string, string]
  await curate(c, b, a)
  const { status, body } = await takeOff(b)
  expect([status, body.data.attributes.curated_products]).toEqual([200, [c, a]])
  const before = (await world.admin.get(path)).headers.get('etag')
  expect((await world.admin.delete(`/pcm/products/${c}`)).status).toBe(204)
  expect(await curatedIn(path)).toEqual([a])
  expect((await world.admin.get(path)).headers.get('etag')).not.toBe(before)
  expect((await world.admin.delete(path)).status, 'a node with curated products').toBe(204)
  expect((await world.admin.get(`/pcm/products/${a}`)).status, 'a product of a node that is gone').toBe(200)
})

test('a node curates at most twenty of its products, without duplicates', async () => {
  const { ids, curate } = await filled('In')
  const outside = await makeProduct('Outside')
  for (const curated of [[outside], [randomUUID()], [ids[0], ids[0]]]) {
    const { status, body } = await curate(...(curated as string[]))
    expect([status, body.errors[0].source]).toEqual([422, 'data.attributes.curated_products'])
  }
  expect((await curate(...Array.from({ length: 21 }, () => randomUUID()))).status).toBe(422)
})

test('products of another store are refused, and hierarchies have no products', async () => {
  const { path, related, ids } = await filled('Here')
  const strange = await makeProduct('Strange', world.other)
  for (const id of [strange, randomUUID()]) {
    const { status, body } = await world.admin.post(related, links(ids[0] as string, id))
    expect([status, body.errors[0].source]).toEqual([404, 'data.1.id'])
  }
  const root = path.replace(/nodes\/.*/, `nodes/${hierarchy}`)
  expect((await world.admin.post(`${root}/relationships/products`, links())).status).toBe(404)
})

test('concurrent additions and removals keep the count right and are in the feed', async () => {
  const { path, related, ids, takeOff, list } = await filled(
    ...Array.from({ length: 12 }, (_, i) => `At once ${i}`),
  )
  const [first, rest] = [ids.slice(0, 6), ids.slice(6)]
  const replies = await Promise.all([
    ...first.map((id) => takeOff(id)),
    ...rest.map((id) => takeOff(id)),
    ...rest.map((id) => world.admin.post(related, links(id))),
    ...rest.map((id) => world.admin.post(related, links(id))),
  ])
  expect(replies.map(({ status }) => status).filter((status) => status >= 300)).toEqual([])
  const { body } = await list('?page[limit]=100')
  expect(body.meta.results.total).toBe(body.data.length)
  const { rows } = await world.feed(
    `SELECT event, count(*)::int AS n FROM changes WHERE source = 'node_products' AND scope = $1 GROUP BY event`,
    [path.slice(path.lastIndexOf('/') + 1)],
  )
  const count = Object.fromEntries(rows.map(({ event, n }) => [event, n]))
  expect(count.created - (count.deleted ?? 0)).toBe(body.data.length)
})

test('a product that is curated and removed at the same time is never curated outside the node', async () => {
  const { path, related, ids, curate, takeOff } = await filled('A', 'B', 'C', 'D')
  const [a, b, c, d] = ids as [string, string, string, string]
  for (let round = 0; round < 4; round++) {
    const replies = await Promise.all([curate(a, b), takeOff(a), curate(c, d, b), takeOff(c, d), curate(d)])
    const statuses = replies.map(({ status }) => status)
    expect(statuses.filter((status) => ![200, 422].includes(status))).toEqual([])
    const { rows } = await world.sql(
      'SELECT id FROM node_products WHERE node_id = $1 AND curated IS NOT NULL ORDER BY curated',
      [path.slice(path.lastIndexOf('/') + 1)],
    )
    expect(await curatedIn(path)).toEqual(rows.map(({ id }) => id))
    await world.admin.post(related, links(...ids))
  }
})

test('the products of a node can include related objects as the product list does', async () => {
  const { list } = await filled('One')
  const { status, body } = await list('?include=main_image,files,component_products')
  expect([status, Object.keys(body.included ?? {}).length > 0]).toEqual([200, true])
  expect((await list()).body.included).toBeUndefined()
})
