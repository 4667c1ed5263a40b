import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { namesIn, newProduct, refusal } from '../../builders/assortment/products.ts'
import { inTheWay } from '../../support/in-the-way.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

async function make(path: string, type: string, attributes: object): Promise<string> {
  const { status, body } = await world.admin.post(path, { data: { type, attributes } })
  if (status === 201) return body.data.id
  throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
}
const call = (name: 'attach' | 'detach', filter: string, ...node_ids: string[]) =>
  world.admin.post(`/pcm/products/${name}_nodes`, { data: { filter, node_ids } })

test('a filter adds products to nodes and removes them, and a product lists its nodes', async () => {
  const hierarchy = await make('/pcm/hierarchies', 'hierarchy', { name: 'Shop' })
  const nodes = `/pcm/hierarchies/${hierarchy}/nodes`
  const [bread, sale] = [
    await make(nodes, 'node', { name: 'Bread' }),
    await make(nodes, 'node', { name: 'Sale' }),
  ]
  const [rye, oat, song] = [
    await newProduct(world.admin, { name: 'Rye', tags: ['bread'] }),
    await newProduct(world.admin, { name: 'Oat', tags: ['bread'] }),
    await newProduct(world.admin, { name: 'Song' }),
  ]
  expect(await namesIn(world.admin, '/pcm/products?filter=eq(has_nodes,false)')).toEqual([
    'Oat',
    'Rye',
    'Song',
  ])
  const nowhere = randomUUID()
  // A hierarchy is not a node.
  const attached = await call(
    'attach',
    'eq(tags,bread)',
    bread,
    sale.toUpperCase(),
    nowhere,
    'nonsense',
    hierarchy,
  )
  expect([attached.status, attached.body]).toEqual([
    200,
    { meta: { nodes_attached: 2, nodes_not_found: [nowhere, 'nonsense', hierarchy] } },
  ])
  expect(await namesIn(world.admin, `${nodes}/${bread}/products`)).toEqual(['Oat', 'Rye'])
  expect(await namesIn(world.admin, `/pcm/products/${rye.id}/nodes`)).toEqual(['Bread', 'Sale'])
  expect(await namesIn(world.admin, `/pcm/products/${song.id}/nodes`)).toEqual([])
  expect(await namesIn(world.admin, '/pcm/products?filter=eq(has_nodes,false)')).toEqual(['Song'])
  expect(await namesIn(world.admin, '/pcm/products?filter=eq(has_nodes,true)')).not.toContain('Song')
  expect((await world.other.get(`/pcm/products/${rye.id}/nodes`)).status).toBe(404)

  const detached = await call('detach', `in(id,${oat.id},${song.id})`, sale)
  expect(detached.body).toEqual({ meta: { nodes_detached: 1, nodes_not_found: [] } })
  expect(await namesIn(world.admin, `${nodes}/${sale}/products`)).toEqual(['Rye'])
  expect(await namesIn(world.admin, `/pcm/products/${oat.id}/nodes`)).toEqual(['Bread'])
})

test('an invalid filter changes nothing', async () => {
  expect(refusal(await call('attach', 'eq(weight,1)')).slice(0, 2)).toEqual([400, 'filter'])
  expect(refusal(await call('detach', 'eq(name')).slice(0, 2)).toEqual([400, 'filter'])
  expect(refusal(await call('detach', ' ')).slice(0, 2)).toEqual([400, 'data.filter'])
})

test('a product that changes while a node adds it is listed by that change', async () => {
  const hierarchy = await make('/pcm/hierarchies', 'hierarchy', { name: 'Late' })
  const nodes = `/pcm/hierarchies/${hierarchy}/nodes`
  const { id } = await newProduct(world.admin, { name: 'Late', mpn: 'late' })
  const data = [{ type: 'product', id }]
  const puts: readonly ((node: string) => Promise<{ status: number }>)[] = [
    (node) => call('attach', 'eq(mpn,late)', node),
    (node) => world.admin.post(`${nodes}/${node}/relationships/products`, { data }),
  ]
  for (const [i, put] of puts.entries()) {
    const node = await make(nodes, 'node', { name: `Node ${i}` })
    const change = `UPDATE products SET version = version + 1, updated_at = $2 WHERE id = $1`
    expect((await inTheWay(world, [[change, [id, new Date()]]], () => put(node))).status).toBeLessThan(300)
    const { rows } = await world.sql(
      `SELECT p.updated_at = l.product_updated_at AS same FROM products p JOIN node_products l ON l.store_id = p.store_id AND l.id = p.id
       WHERE l.node_id = $1`,
      [node],
    )
    expect(rows).toEqual([{ same: true }])
  }
})
