import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyHierarchy } from '../../../server/assortment/hierarchies/copy-hierarchy.ts'
import { startPimJob } from '../../../server/store/index.ts'
import {
  attributesOf,
  expectTree,
  fresh,
  makeHierarchy,
  makeNode,
  namesIn,
  nodePath,
} from '../../builders/assortment/hierarchies.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

/** A hierarchy of a few nodes, the deepest of which has two products, one of them curated. */
async function grown() {
  const { admin } = world
  const locales = { de: { name: 'Baum' } }
  const h = (
    await makeHierarchy(admin, { ...attributesOf(fresh('Copied')), description: 'As it was', locales })
  ).id
  const top = await makeNode(admin, h, 'Top', { meta: { sort_order: 3 } })
  await makeNode(admin, h, 'Beside')
  const deep = await makeNode(admin, h, 'Deep', { parent: top.id })
  const products: string[] = []
  for (const name of ['One', 'Two']) {
    const attributes = { name, commodity_type: 'physical', sku: fresh('sku') }
    const { body } = await admin.post('/pcm/products', { data: { type: 'product', attributes } })
    products.push(body.data.id)
  }
  const path = nodePath(h, deep.id)
  await admin.post(`${path}/relationships/products`, {
    data: products.map((id) => ({ type: 'product', id })),
  })
  const attributes = { curated_products: [products[0]] }
  await admin.put(path, { data: { type: 'node', attributes } })
  return { h, products }
}

async function copied(h: string, attributes: object) {
  const { admin } = world
  const response = await admin.post(`/pcm/hierarchies/${h}/duplicate_job`, {
    data: { type: 'hierarchy', attributes },
  })
  expect([response.status, response.body.errors]).toEqual([201, undefined])
  expect(response.body.data.attributes).toMatchObject({ type: 'hierarchy-duplicate', status: 'pending' })
  const job = async () => (await admin.get(`/pcm/jobs/${response.body.data.id}`)).body.data
  await expect.poll(async () => (await job()).attributes.status, { timeout: 8000 }).toBe('success')
  const { meta } = await job()
  expect(meta.copied_from).toBe(h)
  return meta.hierarchy_id as string
}

const nodesOf = async (h: string) => {
  const { body } = await world.admin.get(`/pcm/hierarchies/${h}/nodes?page[limit]=100`)
  return Object.fromEntries(
    body.data.map((node: { attributes: { name: string } }) => [node.attributes.name, node]),
  )
}

test('the copy has the nodes of the hierarchy, and can have its own name', async () => {
  const { admin } = world
  const { h } = await grown()
  const name = fresh('New trees')
  const copy = await copied(h, { name })
  const [was, is] = await Promise.all(
    [h, copy].map(async (id) => (await admin.get(`/pcm/hierarchies/${id}`)).body.data),
  )
  expect(is.attributes).toEqual({ ...was.attributes, name })
  expect(await expectTree(world, copy)).toBe(3)
  expect(await expectTree(world, h)).toBe(3)
  expect(namesIn(await admin.get(`/pcm/hierarchies/${copy}/children`))).toEqual(['Top', 'Beside'])
  const nodes = await nodesOf(copy)
  const { Deep, Top } = nodes
  expect(Object.keys(nodes).sort()).toEqual(['Beside', 'Deep', 'Top'])
  expect(Deep.relationships.parent.data.id).toBe(Top.id)
  expect(Deep.meta).toMatchObject({ hierarchy_id: copy, parent_name: 'Top' })
  expect(Deep.attributes, 'without its products').toEqual({ name: 'Deep', slug: 'deep' })
  const path = nodePath(copy, Deep.id)
  expect(Deep.relationships.products.links.related).toBe(`${path.slice('/pcm'.length)}/products`)
  expect((await admin.get(`${path}/products`)).body.meta.results.total).toBe(0)
  expect((await admin.get(path)).body.data).toEqual(Deep)
})

test('include_products copies the products of the nodes and the curated ones', async () => {
  const { admin } = world
  const { h, products } = await grown()
  const copy = await copied(h, { include_products: true, description: null })
  const { Deep } = await nodesOf(copy)
  expect(Deep.attributes.curated_products).toEqual([products[0]])
  expect(namesIn(await admin.get(`${nodePath(copy, Deep.id)}/products`))).toEqual(['One', 'Two'])
  expect((await admin.get(`/pcm/hierarchies/${copy}`)).body.data.attributes.description).toBeNull()
})

test('a job that several workers run makes one copy', async () => {
  const { h } = await grown()
  const name = fresh('Once')
  const payload = { hierarchyId: h, name, withProducts: true }
  const { id } = await startPimJob(world.work, copyHierarchy, payload)
  const again = () => copyHierarchy.run(world.work, { jobId: id, payload })
  await Promise.all([again(), again()])
  await again()
  const job = await world.admin.get(`/pcm/jobs/${id}`)
  expect(job.body.data.attributes.status).toBe('success')
  const named = await world.admin.get(`/pcm/hierarchies?filter=${encodeURIComponent(`eq(name,${name})`)}`)
  expect(named.body.meta.results.total).toBe(1)
  expect(await expectTree(world, named.body.data[0].id)).toBe(3)
})

test('only a hierarchy can be copied, and the job fails if it was deleted before', async () => {
  const { admin } = world
  const { h } = await grown()
  const { Top } = await nodesOf(h)
  const body = { data: { type: 'hierarchy', attributes: {} } }
  expect((await admin.post(`/pcm/hierarchies/${Top.id}/duplicate_job`, body)).status).toBe(404)
  const long = { data: { type: 'hierarchy', attributes: { name: 'x'.repeat(1001) } } }
  expect((await admin.post(`/pcm/hierarchies/${h}/duplicate_job`, long)).status).toBe(400)
  const { id } = await startPimJob(world.work, copyHierarchy, {
    hierarchyId: randomUUID(),
    withProducts: false,
  })
  const job = async () => (await admin.get(`/pcm/jobs/${id}`)).body.data.attributes.status
  await expect.poll(job, { timeout: 8000 }).toBe('failed')
  const errors = await admin.get(`/pcm/jobs/${id}/errors`)
  expect(errors.body.data[0].attributes.message).toContain('was deleted')
})
