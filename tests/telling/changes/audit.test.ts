import { afterAll, beforeAll, expect, test } from 'vitest'
import { sequence } from '../../../server/kernel/feed/sequence.ts'
import { Store } from '../../../server/kernel/storage/store.ts'
import type { Work } from '../../../server/kernel/work/context.ts'
import { earlierChanges } from '../../../server/telling/changes/follow.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const list = async (query: string) => (await world.admin.get(`/v2/audit?${query}`)).body
const account = (name: string) => ({ data: { type: 'account', name, legal_name: 'Ltd' } })

test('says who changed what, with the fields before and after, the newest first', async () => {
  const { id } = (await world.admin.post('/v2/accounts', account('Ash'))).body.data
  const { headers } = await world.admin.put(`/v2/accounts/${id}`, account('Birch'))
  await world.admin.delete(`/v2/accounts/${id}`)
  const { data } = await list(`filter=eq(id,${id})`)
  expect(data.map(({ event }: { event: string }) => event)).toEqual(['deleted', 'updated', 'created'])
  const [deleted, updated, created] = data
  expect(updated).toMatchObject({
    type: 'audit_entry',
    object: { type: 'account', id, parent: null },
    before: { name: 'Ash' },
    after: { name: 'Birch' },
    delta: { name: 'Birch' },
    request_id: headers.get('x-request-id'),
    initiator: { 'access-token-store-id': world.storeId, 'access-token-type': 'client-credentials-token' },
  })
  expect([created.before, created.after.name, created.delta.name]).toEqual([null, 'Ash', 'Ash'])
  expect([deleted.before.name, deleted.after, deleted.delta]).toEqual(['Birch', null, {}])
  expect((await list(`filter=eq(id,${id}):eq(event,updated)`)).data.length).toBe(1)
  const actor = updated.initiator['access-token-id']
  expect((await list(`filter=eq(id,${id}):eq(actor,${actor})`)).data.length).toBe(3)
  expect((await list(`filter=eq(id,${id}):ge(at,${updated.at})`)).data.length).toBe(2)
})

test('goes on with older entries until there are none', async () => {
  for (const name of ['One', 'Two', 'Three']) await world.admin.post('/v2/accounts', account(name))
  const positions: number[] = []
  for (let query: string | undefined = 'page[limit]=2'; query !== undefined; ) {
    const { data, links }: { data: { position: number }[]; links: { next: string | null } } =
      await list(query)
    positions.push(...data.map(({ position }) => position))
    query = links.next ? new URL(links.next).search.slice(1) : undefined
  }
  const { last } = (await world.admin.get('/v2/changes?page[limit]=0')).body.meta.feed
  expect(positions).toEqual(Array.from({ length: last }, (_, i) => last - i))
})

test('the entries of an object are found by an index, and those of none cost a part of the feed', async () => {
  await world.sql(
    `INSERT INTO fresh_changes (store_id, at, event, type, source, id, personal, actor, request_id, doc)
     SELECT $1, now(), 'updated', 'gadget', 'gadgets', gen_random_uuid(), false, 'system', '', '{}' FROM generate_series(1, 12000)`,
    [world.storeId],
  )
  await sequence(world.work.store)
  const { data } = await list('filter=eq(type,application_key)')
  expect(data).toEqual([])
  const { data: some, links } = await list('page[limit]=1')
  const { object } = some[0]
  expect(links.next).not.toBeNull()
  expect((await list(`filter=eq(id,${object.id})`)).data.length).toBe(1)
  // The first changes of the store are more than a part of the feed away.
  const first = (await world.admin.get('/v2/changes?page[limit]=1')).body.data[0]
  expect((await list(`filter=eq(id,${first.object.id})`)).data.at(-1).position).toBe(first.position)
})

test('objects of different parents with the same id have states of their own', async () => {
  const { admin } = world
  const named = (type: string, more: object = {}) => ({ data: { type, attributes: { name: type, ...more } } })
  const create = async (path: string, body: object) => (await admin.post(path, body)).body.data.id
  const physical = { sku: 'two-nodes', slug: 'two-nodes', commodity_type: 'physical', status: 'draft' }
  const product = await create('/pcm/products', named('product', physical))
  const hierarchy = await create('/pcm/hierarchies', named('hierarchy'))
  const nodes = `/pcm/hierarchies/${hierarchy}/nodes`
  const [one, other] = [
    await create(nodes, named('node')),
    await create(nodes, named('node', { name: 'Other' })),
  ]
  for (const node of [one, other]) {
    const links = { data: [{ type: 'product', id: product }] }
    expect((await admin.post(`${nodes}/${node}/relationships/products`, links)).status).toBe(201)
  }
  const { data } = await list(`filter=eq(id,${product}):eq(type,node-product)`)
  expect(
    data.map((entry: { object: { parent: string }; before: unknown }) => [entry.object.parent, entry.before]),
  ).toEqual([
    [other, null],
    [one, null],
  ])
})

test('a page of an object with many changes is found in a small part of the feed', async () => {
  const looks: unknown[] = []
  class WatchedStore extends Store {
    override run(text: string, ...values: unknown[]) {
      looks.push(values[1])
      return super.run(text, ...values)
    }
  }
  const { instance } = world.server
  const store = new WatchedStore(world.storeId, instance.database, () => new Date(), 'nobody')
  const earlier = (id: string, most: number) =>
    earlierChanges({ store } as unknown as Work, Number.MAX_SAFE_INTEGER, { ids: [id] }, most)
  const [old, often] = [crypto.randomUUID(), crypto.randomUUID()]
  await world.sql(
    `INSERT INTO fresh_changes (store_id, at, event, type, source, id, personal, actor, request_id, doc)
     SELECT $1, now(), 'updated', 'gadget', 'gadgets', CASE n WHEN 1 THEN $2::uuid ELSE $3 END, false, 'system', '', '{}'
     FROM generate_series(1, 20000) n`,
    [world.storeId, old, often],
  )
  await sequence(world.work.store)
  const { last } = (await world.admin.get('/v2/changes?page[limit]=0')).body.meta.feed
  const page = await earlier(often, 100)
  expect([page.changes.length, page.reached, looks]).toEqual([100, last - 99, [1_000]])
  looks.length = 0
  const only = await earlier(old, 100)
  expect([only.changes.length, only.reached <= only.end, looks.length <= 4]).toEqual([1, true, true])
})
