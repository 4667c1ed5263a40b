import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  expectTree,
  fresh,
  makeHierarchy,
  makeNode,
  moveTo,
  namesIn,
  nodePath,
  postNode,
} from '../../builders/assortment/hierarchies.ts'
import { tries } from '../../support/long.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const problem = ({ status, body }: { status: number; body: { errors?: { source: string }[] } }) => [
  status,
  body?.errors?.[0]?.source,
]

/** A hierarchy with one node below another, as deep as there are names. */
async function chain(...names: string[]): Promise<string[]> {
  const root = (await makeHierarchy(world.admin)).id as string
  const ids = [root]
  for (const name of names)
    ids.push((await makeNode(world.admin, root, name, { parent: ids.at(-1) as string })).id)
  return ids
}

const crumbsAt = async (path: string) => {
  const { body } = await world.admin.get(path)
  return body.data.meta.breadcrumbs.slice(1).map(({ name }: { name: string }) => name)
}

test('a hierarchy and its nodes show their place in the tree', async () => {
  const { admin } = world
  const locales = { 'fr-FR': { name: 'Chaussures', description: 'Toutes' } }
  const hierarchy = await makeHierarchy(admin, { name: 'Shoes', slug: 'shoes', locales })
  const root = {
    id: hierarchy.id,
    name: 'Shoes',
    slug: 'shoes',
    locales: { 'fr-FR': { name: 'Chaussures' } },
  }
  const children = { data: [], links: { related: `/hierarchies/${hierarchy.id}/children` } }
  expect(hierarchy).toMatchObject({
    type: 'hierarchy',
    attributes: { name: 'Shoes', slug: 'shoes', locales },
    relationships: { children },
    meta: { owner: 'store', breadcrumbs: [root] },
  })
  const node = await makeNode(admin, hierarchy.id, 'Ballet', { meta: { sort_order: 2 } })
  const own = { id: node.id, name: 'Ballet', slug: 'ballet' }
  const at = `/hierarchies/${hierarchy.id}/nodes/${node.id}`
  expect(node).toEqual({
    type: 'node',
    id: node.id,
    attributes: { name: 'Ballet', slug: 'ballet' },
    relationships: {
      children: { data: [], links: { related: `${at}/children` } },
      products: { data: [], links: { related: `${at}/products` } },
    },
    meta: {
      created_at: expect.any(String),
      updated_at: expect.any(String),
      owner: 'store',
      hierarchy_id: hierarchy.id,
      parent_name: 'Shoes',
      sort_order: 2,
      breadcrumbs: [root, own],
    },
  })
})

test('addresses may end in a slash', async () => {
  const attributes = { name: fresh('Slash') }
  const data = { type: 'hierarchy', attributes }
  const { status, body } = await world.admin.post('/pcm/hierarchies/', { data })
  expect(status).toBe(201)
  const filter = `eq(id,${body.data.id})`
  expect(namesIn(await world.admin.get(`/pcm/hierarchies/?filter=${filter}`))).toEqual([attributes.name])
})

test('siblings are listed by sort_order, the highest first, then by their last change', async () => {
  const { admin } = world
  const h = (await makeHierarchy(admin)).id
  const put = (id: string, data: object) =>
    admin.put(nodePath(h, id), { data: { type: 'node', id, ...data } })
  const [a, b] = [await makeNode(admin, h, 'A'), await makeNode(admin, h, 'B', { meta: { sort_order: 1 } })]
  await makeNode(admin, h, 'C', { meta: { sort_order: 5 } })
  await makeNode(admin, h, 'D')
  const order = async () => namesIn(await admin.get(`/pcm/hierarchies/${h}/children`))
  expect(await order()).toEqual(['C', 'B', 'D', 'A'])
  await put(a.id, { attributes: { description: 'changed' } })
  expect(await order(), 'A was changed').toEqual(['C', 'B', 'A', 'D'])
  const d = (await admin.get(`/pcm/hierarchies/${h}/nodes?filter=eq(name,D)`)).body.data[0]
  for (const same of [{ attributes: {} }, { attributes: d.attributes, meta: { sort_order: null } }]) {
    expect((await put(d.id, same)).status).toBe(200)
    expect(await order(), 'nothing was changed').toEqual(['C', 'B', 'A', 'D'])
  }
  await put(a.id, { meta: { sort_order: -3 }, attributes: {} })
  expect(await order(), 'A has a sort_order').toEqual(['C', 'B', 'A', 'D'])
  await put(b.id, { meta: { sort_order: null }, attributes: {} })
  expect(await order(), 'B has none').toEqual(['C', 'A', 'B', 'D'])
  const data = [
    { type: 'node', id: a.id, meta: { sort_order: 9 } },
    { type: 'node', id: b.id },
  ]
  const parent = await admin.post(`/pcm/hierarchies/${h}/relationships/children`, { data })
  expect([parent.status, parent.body.data.id]).toEqual([200, h])
  expect(await order(), 'A is put first, B keeps what it has').toEqual(['A', 'C', 'B', 'D'])
  await admin.put(`/pcm/hierarchies/${h}`, { data: { type: 'hierarchy', attributes: { name: 'Other' } } })
  expect(await order(), 'what is above is renamed').toEqual(['A', 'C', 'B', 'D'])
})

test('any values of sort_order put siblings in order', async () => {
  const { admin } = world
  const anyOrders = fc.array(fc.oneof(fc.constant(undefined), fc.maxSafeInteger(), fc.integer({ max: 3 })), {
    minLength: 2,
    maxLength: 12,
  })
  const inOrder = fc.asyncProperty(anyOrders, async (orders) => {
    const h = (await makeHierarchy(admin)).id
    for (const [i, sort_order] of orders.entries()) {
      await makeNode(admin, h, String(i), { ...(sort_order !== undefined && { meta: { sort_order } }) })
    }
    const place = (name: string) => [orders[Number(name)] ?? Number.NEGATIVE_INFINITY, Number(name)] as const
    const slowly = orders
      .map((_, i) => String(i))
      .sort((one, other) => {
        const [[a, i], [b, j]] = [place(one), place(other)]
        return a === b ? j - i : a < b ? 1 : -1
      })
    expect(namesIn(await admin.get(`/pcm/hierarchies/${h}/children?page[limit]=100`))).toEqual(slowly)
  })
  await fc.assert(inOrder, { numRuns: tries(3, 6) })
})

test('a node shows its parent, and a topmost node shows none', async () => {
  const { admin } = world
  const [h, a, b] = (await chain('A', 'B')) as [string, string, string]
  const relationships = async (id: string) => (await admin.get(nodePath(h, id))).body.data.relationships
  const parent = { data: { type: 'node', id: a } }
  expect(await relationships(a)).not.toHaveProperty('parent')
  expect((await relationships(b)).parent).toEqual(parent)
  const sent = {
    type: 'node',
    attributes: { name: 'Top' },
    relationships: { parent: { data: { type: 'hierarchy', id: h } } },
  }
  const { body } = await admin.post(`/pcm/hierarchies/${h}/nodes`, { data: sent })
  expect(body.data.relationships).not.toHaveProperty('parent')
  await moveTo(admin, h, a, body.data.id)
  expect((await relationships(a)).parent.data.id).toBe(body.data.id)
  await moveTo(admin, h, b, h)
  expect(await relationships(b)).not.toHaveProperty('parent')
  const top = await admin.get(`/pcm/hierarchies/nodes?filter=eq(parent_id,${h})`)
  expect(namesIn(top).sort()).toEqual(['B', 'Top'])
})

test('a node moves with its descendants', async () => {
  const { admin } = world
  const [h, a, b, c] = (await chain('A', 'B', 'C')) as [string, string, string, string]
  expect((await moveTo(admin, h, c, a)).status).toBe(204)
  expect(await crumbsAt(nodePath(h, c))).toEqual(['A', 'C'])
  expect((await moveTo(admin, h, b, c)).status).toBe(204)
  expect(await crumbsAt(nodePath(h, b))).toEqual(['A', 'C', 'B'])
  expect((await admin.get(nodePath(h, b))).body.data.meta.parent_name).toBe('C')
  expect((await admin.delete(`${nodePath(h, c)}/relationships/parent`)).status).toBe(204)
  expect([await crumbsAt(nodePath(h, c)), await crumbsAt(nodePath(h, b))]).toEqual([['C'], ['C', 'B']])
  expect(namesIn(await admin.get(`${nodePath(h, c)}/children`))).toEqual(['B'])
  expect((await admin.delete(nodePath(h, a))).status).toBe(204)
  expect(await expectTree(world, h), 'C and B are elsewhere by now').toBe(2)
  expect((await admin.delete(nodePath(h, c))).status).toBe(204)
  expect((await admin.get(nodePath(h, b))).status, 'what was below C').toBe(404)
})

test('a new name appears at once in the breadcrumbs of all descendants', async () => {
  const { admin } = world
  const [h, a, b] = (await chain('A', 'B')) as [string, string, string]
  const before = (await admin.get(nodePath(h, b))).headers.get('etag')
  const locales = { de: { name: 'Aa', description: 'x' } }
  const put = { type: 'node', attributes: { name: 'Anew', slug: null, locales } }
  expect((await admin.put(nodePath(h, a), { data: put })).status).toBe(200)
  const { body, headers } = await admin.get(nodePath(h, b))
  expect(body.data.meta.breadcrumbs[1]).toEqual({ id: a, name: 'Anew', locales: { de: { name: 'Aa' } } })
  expect(body.data.meta.parent_name).toBe('Anew')
  expect(headers.get('etag')).not.toBe(before)
  const { rows } = await world.feed(
    'SELECT id FROM changes WHERE id = ANY($1) ORDER BY position DESC LIMIT 2',
    [[a, b]],
  )
  expect(rows.map(({ id }) => id).sort(), 'both are in the feed').toEqual([a, b].sort())
  const root = { type: 'hierarchy', attributes: { name: 'Tree of all' } }
  await admin.put(`/pcm/hierarchies/${h}`, { data: root })
  expect((await admin.get(nodePath(h, b))).body.data.meta.breadcrumbs[0].name).toBe('Tree of all')
})

describe('a write of a node is refused', () => {
  test('with the name or slug of a sibling, or the name of the parent', async () => {
    const { admin } = world
    const [h, a, b] = (await chain('A', 'B')) as [string, string, string]
    const name = 'data.attributes.name'
    const again = await postNode(admin, h, { name: 'A' })
    expect(problem(again), 'a name that is there').toEqual([422, name])
    const slug = await postNode(admin, h, { name: 'Other', slug: 'a' })
    expect(problem(slug), 'a slug that is there').toEqual([422, 'data.attributes.slug'])
    const elsewhere = await postNode(admin, h, { name: 'B', slug: 'b' })
    expect(elsewhere.status, 'a name that is there elsewhere').toBe(201)
    expect(problem(await postNode(admin, h, { name: 'A' }, { parent: a })), 'the parent’s').toEqual([
      422,
      name,
    ])
    const rename = (id: string, to: string) =>
      admin.put(nodePath(h, id), { data: { type: 'node', attributes: { name: to } } })
    expect(problem(await rename(b, 'A')), 'the parent’s, later').toEqual([422, name])
    expect(problem(await rename(a, 'B')), 'a child’s').toEqual([422, name])
    const toTop = await admin.delete(`${nodePath(h, b)}/relationships/parent`)
    expect([toTop.status, toTop.body.errors[0].detail]).toEqual([
      422,
      'Names must be unique amongst siblings.',
    ])
    const [other] = await chain()
    expect(
      (
        await admin.put(`/pcm/hierarchies/${other}`, {
          data: { type: 'hierarchy', attributes: { name: 'A' } },
        })
      ).status,
      'hierarchies may be named alike',
    ).toBe(200)
  })

  test('with a parent below itself, in another hierarchy, or missing', async () => {
    const { admin } = world
    const [h, a, b, c] = (await chain('A', 'B', 'C')) as [string, string, string, string]
    const [other, stranger] = (await chain('A')) as [string, string]
    expect(problem(await moveTo(admin, h, a, a)), 'itself').toEqual([422, 'data.id'])
    expect(problem(await moveTo(admin, h, a, c)), 'below itself').toEqual([422, 'data.id'])
    expect(problem(await moveTo(admin, h, b, stranger)), 'in another').toEqual([404, 'data.id'])
    expect(problem(await moveTo(admin, h, b, other)), 'another').toEqual([404, 'data.id'])
    expect(problem(await moveTo(admin, h, b, randomUUID())), 'nowhere').toEqual([404, 'data.id'])
    expect((await moveTo(admin, other, b, stranger)).status, 'of another').toBe(404)
    const data = [a, stranger].map((id) => ({ type: 'node', id }))
    const both = await admin.post(`/pcm/hierarchies/${h}/relationships/children`, { data })
    expect(problem(both), 'one of two').toEqual([404, 'data.1.id'])
    const post = await postNode(admin, h, { name: 'X' }, { parent: stranger })
    expect(problem(post)).toEqual([404, 'data.relationships.parent.data.id'])
    expect(await expectTree(world, h)).toBe(3)
  })

  test('beyond 20 levels', async () => {
    const { admin } = world
    const ids = await chain(...Array.from({ length: 20 }, (_, i) => `Level ${i}`))
    const [h, first] = ids as [string, string]
    const source = 'data.relationships.parent.data.id'
    const deeper = await postNode(admin, h, { name: 'Deeper' }, { parent: ids.at(-1) as string })
    expect(problem(deeper)).toEqual([422, source])
    const top = await makeNode(admin, h, 'Top')
    expect(problem(await moveTo(admin, h, first, top.id)), 'what is below counts').toEqual([422, 'data.id'])
    expect((await moveTo(admin, h, ids[2] as string, top.id)).status, 'one level less').toBe(204)
  })

  test('with the id of another object, or of the store as a hierarchy', async () => {
    const { admin } = world
    const [h, a] = (await chain('A')) as [string, string]
    const sent = { data: { type: 'node', id: randomUUID(), attributes: {} } }
    expect(problem(await admin.put(nodePath(h, a), sent))).toEqual([422, 'data.id'])
    const strange = `${nodePath(h, '%F0%9F%98%80')}/children`
    for (const path of [
      nodePath(world.storeId, h),
      `/pcm/hierarchies/${a}`,
      `/pcm/hierarchies/${a}/nodes`,
      strange,
    ]) {
      expect((await admin.get(path)).status, path).toBe(404)
    }
  })
})

test('an update merges attributes by key and replaces locales', async () => {
  const { admin } = world
  const [h, a] = (await chain('A')) as [string, string]
  const put = (attributes: object) => admin.put(nodePath(h, a), { data: { type: 'node', attributes } })
  await put({ admin_attributes: { x: '1', y: '2' }, locales: { fr: { name: 'Ah' }, de: { name: 'Aa' } } })
  const { body } = await put({ admin_attributes: { x: null, z: '3' }, locales: { fr: { name: 'Oh' } } })
  expect(body.data.attributes).toMatchObject({
    admin_attributes: { y: '2', z: '3' },
    locales: { fr: { name: 'Oh' } },
  })
  expect(body.data.attributes.locales.de).toBeUndefined()
})
