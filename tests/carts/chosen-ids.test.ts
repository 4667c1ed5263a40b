import { afterAll, beforeAll, expect, test } from 'vitest'
import { readChanges } from '../../server/kernel/feed/changes.ts'
import { sequence } from '../../server/kernel/feed/sequence.ts'
import { payloadOf } from '../../server/telling/events/payload-of.ts'
import { makeFlow } from '../builders/fields/flows.ts'
import { openWorld, type World } from '../support/world.ts'

/** Clients choose the ids of carts. Everything that names a cart names it by that id. */

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

// biome-ignore lint/suspicious/noExplicitAny: as for Reply.
type Any = any

async function lastPosition(): Promise<number> {
  await sequence(world.work.store)
  return (await world.admin.get('/v2/changes?page[limit]=0')).body.meta.feed.last
}

const cart = (id: string) => `/v2/carts/${id}`
const create = (id: string, more: object = {}) => world.shopper.post('/v2/carts', { data: { id, ...more } })

test.each(['kitchen-tablet', '5B8E7B1C-4D0B-4A59-9D4C-1E6B0E8A1F00'])(
  'the feed and the audit name the cart %s, also when it is deleted',
  async (id) => {
    const start = await lastPosition()
    await create(id)
    await create(`other-than-${id}`)
    await world.shopper.put(cart(id), { data: { name: 'Breakfast' } })
    await world.shopper.delete(cart(id))
    await lastPosition()
    const { data } = (await world.admin.get(`/v2/changes?page[after]=${start}&filter=eq(type,cart)`)).body
    expect(data.map(({ event, object }: Any) => [event, object.id])).toEqual([
      ['created', id],
      ['created', `other-than-${id}`],
      ['updated', id],
      ['deleted', id],
    ])
    const filter = `filter=eq(type,cart):eq(id,${id})`
    const own = (await world.admin.get(`/v2/changes?page[after]=${start}&${filter}`)).body
    expect(own.data.map(({ event }: Any) => event)).toEqual(['created', 'updated', 'deleted'])
    const audit = (await world.admin.get(`/v2/audit?${filter}`)).body
    expect(audit.data.map(({ event, object }: Any) => [event, object.id])).toEqual([
      ['deleted', id],
      ['updated', id],
      ['created', id],
    ])
  },
)

test('a cart whose id the server has made is named by it', async () => {
  const start = await lastPosition()
  const { id } = (await world.shopper.post('/v2/carts', { data: {} })).body.data
  await world.shopper.delete(cart(id))
  await lastPosition()
  const { data } = (await world.admin.get(`/v2/changes?page[after]=${start}&filter=in(id,${id},x)`)).body
  expect(data.map(({ event, object }: Any) => [event, object.id])).toEqual([
    ['created', id],
    ['deleted', id],
  ])
})

test('cart.deleted names the cart when the feed has nothing else of it', async () => {
  await create('forgotten')
  const start = await lastPosition()
  await world.shopper.delete(cart('forgotten'))
  await lastPosition()
  await world.sql('DELETE FROM changes WHERE store_id = $1 AND position <= $2', [world.storeId, start])
  const [change] = await readChanges(world.work.store, start, 10)
  const payload = await payloadOf(world.work, change as never, { key: 'cart.deleted' })
  expect(JSON.parse(payload?.object ?? '')).toEqual({ type: 'cart', id: 'forgotten' })
})

test('a walk by id meets every cart once', async () => {
  const ids = ['Zebra', 'alpha', 'alpha-2', '_x', '0']
  for (const id of ids) await create(`walk-${id}`)
  const met: string[] = []
  for (let after = 'walk-'; ; after = met.at(-1) as string) {
    const { status, body } = await world.admin.get(
      `/v2/carts?sort=id&filter=gt(id,${after}):lt(id,walk-~)&page[limit]=2`,
    )
    expect([status, body.errors]).toEqual([200, undefined])
    expect(body.meta.results.total).toBe(ids.length - met.length)
    met.push(...body.data.map(({ id }: Any) => id))
    if (body.data.length < 2) break
  }
  expect(met).toEqual(ids.map((id) => `walk-${id}`).sort())
  const descending = await world.admin.get('/v2/carts?sort=-id&page[limit]=1&page[after]=')
  const next = new URL(descending.body.links.next)
  const second = await world.admin.get(next.pathname + next.search)
  expect(second.body.data[0].id < descending.body.data[0].id).toBe(true)
})

test('entries of a flow exist under the id of their cart', async () => {
  const flow = await makeFlow(world.admin, 'carts', { gift_note: { field_type: 'string' } })
  await create('wrapped', { gift_note: 'For Ada' })
  const path = `${flow.entries}/wrapped`
  const read = await world.admin.get(path)
  expect([read.status, read.body.data]).toMatchObject([200, { id: 'wrapped', gift_note: 'For Ada' }])
  expect(read.body.data.links.self).toMatch(/\/entries\/wrapped$/)
  const put = await world.admin.put(path, { data: { type: 'entry', gift_note: 'For Ben' } })
  expect(put.body.data).toMatchObject({ id: 'wrapped', gift_note: 'For Ben' })
  const post = await world.admin.post(flow.entries, {
    data: { type: 'entry', id: 'wrapped', gift_note: 'For Cy' },
  })
  expect([post.status, post.body.data.id]).toEqual([201, 'wrapped'])
  expect((await world.shopper.get(cart('wrapped'))).body.data.gift_note).toBe('For Cy')
  for (const query of ['', '?filter=eq(id,wrapped)', '?sort=id&filter=gt(id,wrap)']) {
    const { body } = await world.admin.get(flow.entries + query)
    expect(body.data.map(({ id }: Any) => id)).toEqual(['wrapped'])
  }
  // A UUID in capitals is an id like others.
  const capitals = '0D9F6E52-7C1B-4F0A-8E3D-2B4C6A8E0F13'
  await create(capitals)
  const sent = { data: { type: 'entry', id: capitals, gift_note: 'For Di' } }
  const made = await world.admin.post(flow.entries, sent)
  expect([made.status, made.body.data?.id]).toEqual([201, capitals])
  expect((await world.admin.delete(`${flow.entries}/${capitals}`)).status).toBe(204)
  expect((await world.admin.delete(path)).status).toBe(204)
  expect((await world.shopper.get(cart('wrapped'))).body.data.gift_note).toBeNull()
  expect((await world.admin.get(`${flow.entries}/nothing-here`)).status).toBe(404)
  const empty = await world.admin.post(flow.entries, { data: { type: 'entry', id: '' } })
  expect([empty.status, empty.body.errors[0].source]).toEqual([422, 'data.id'])
})
