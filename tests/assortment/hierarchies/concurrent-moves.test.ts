import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  attributesOf,
  expectTree,
  fresh,
  makeHierarchy,
  makeNode,
  moveTo,
  nodePath,
  postNode,
} from '../../builders/assortment/hierarchies.ts'
import { newProduct } from '../../builders/assortment/products.ts'
import { inTheWay } from '../../support/in-the-way.ts'
import { tries } from '../../support/long.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const place = fc.nat(1000)
const anyWrite = fc.record({
  write: fc.constantFrom('create', 'move', 'move', 'move', 'rename', 'put below', 'to the top', 'delete'),
  one: place,
  other: place,
  name: fc.constantFrom('Ash', 'Birch', 'Cedar', 'Durmast', 'Elm', 'Fir'),
})
type Write = typeof anyWrite extends fc.Arbitrary<infer T> ? T : never

test('concurrent moves, renames, additions and deletions leave a tree with correct breadcrumbs', async () => {
  const { admin } = world
  const anyWrites = fc.asyncProperty(fc.array(anyWrite, { minLength: 20, maxLength: 40 }), async (writes) => {
    const hierarchy = (await makeHierarchy(admin)).id as string
    const nodes: string[] = []
    for (let i = 0; i < 10; i++) {
      const parent = i < 3 ? hierarchy : (nodes[i - 3] as string)
      nodes.push((await makeNode(admin, hierarchy, fresh('Start'), { parent })).id)
    }
    const pick = (at: number) => nodes[at % nodes.length] as string
    const doIt = async ({ write, one, other, name }: Write): Promise<Reply> => {
      const path = nodePath(hierarchy, pick(one))
      if (write === 'move') return moveTo(admin, hierarchy, pick(one), pick(other))
      if (write === 'to the top') return admin.delete(`${path}/relationships/parent`)
      if (write === 'delete') return admin.delete(path)
      if (write === 'rename') {
        return admin.put(path, { data: { type: 'node', attributes: attributesOf(name) } })
      }
      if (write === 'put below') {
        const data = [pick(one), pick(one + 1)].map((id) => ({ type: 'node', id }))
        return admin.post(`${nodePath(hierarchy, pick(other))}/relationships/children`, { data })
      }
      const reply = await postNode(admin, hierarchy, attributesOf(name), { parent: pick(other) })
      if (reply.status === 201) nodes.push(reply.body.data.id)
      return reply
    }
    const waiting = [...writes]
    const writer = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const { status, body } = await doIt(next)
        const message = `${next.write} is answered ${status} ${JSON.stringify(body?.errors)}`
        expect([200, 201, 204, 404, 422], message).toContain(status)
      }
    }
    await Promise.all(Array.from({ length: 8 }, writer))
    const count = await expectTree(world, hierarchy)
    const listed = await admin.get(`/pcm/hierarchies/${hierarchy}/nodes?page[limit]=100`)
    expect(listed.body.meta.results.total, 'the total of its nodes').toBe(count)
  })
  await fc.assert(anyWrites, { numRuns: tries(3, 8) })
})

test('siblings can be added at the same time, but only one of each name', async () => {
  const { admin } = world
  const hierarchy = (await makeHierarchy(admin)).id as string
  const names = Array.from({ length: 30 }, (_, i) => `Sibling ${i % 20}`)
  const replies = await Promise.all(
    names.map((name) => postNode(admin, hierarchy, { name, slug: fresh('slug') })),
  )
  const statuses = replies.map(({ status }) => status)
  expect(statuses.filter((status) => status === 201)).toHaveLength(20)
  expect(statuses.filter((status) => status === 422)).toHaveLength(10)
  expect(await expectTree(world, hierarchy)).toBe(20)
})

test('two nodes that are moved below each other at the same time form no circle', async () => {
  const { admin } = world
  const hierarchy = (await makeHierarchy(admin)).id as string
  const one = (await makeNode(admin, hierarchy)).id as string
  const other = (await makeNode(admin, hierarchy)).id as string
  for (let round = 0; round < 5; round++) {
    const moves = await Promise.all([
      moveTo(admin, hierarchy, one, other),
      moveTo(admin, hierarchy, other, one),
    ])
    expect(moves.map(({ status }) => status).sort(), 'one is below the other').toEqual([204, 422])
    await admin.delete(`${nodePath(hierarchy, one)}/relationships/parent`)
    await admin.delete(`${nodePath(hierarchy, other)}/relationships/parent`)
  }
  expect(await expectTree(world, hierarchy)).toBe(2)
})

test('an update that renames and curates locks the hierarchy before the node', async () => {
  const { admin } = world
  const hierarchy = (await makeHierarchy(admin)).id as string
  const node = (await makeNode(admin, hierarchy)).id as string
  const path = nodePath(hierarchy, node)
  const { id } = await newProduct(admin)
  await admin.post(`${path}/relationships/products`, { data: [{ type: 'product', id }] })
  // Another transaction renames the hierarchy, and then locks its nodes.
  const { status, body } = await inTheWay(
    world,
    [['SELECT 1 FROM nodes WHERE store_id = $1 AND id = $2 FOR UPDATE', [world.storeId, hierarchy]]],
    () =>
      admin.put(path, {
        data: { type: 'node', attributes: { name: fresh('Other'), curated_products: [id] } },
      }),
    [['SELECT 1 FROM nodes WHERE store_id = $1 AND id = $2 FOR NO KEY UPDATE NOWAIT', [world.storeId, node]]],
  )
  expect([status, body.data?.attributes.curated_products]).toEqual([200, [id]])
})
