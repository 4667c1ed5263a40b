import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeFlow } from '../../builders/fields/flows.ts'
import { order } from '../../builders/orders/buying.ts'
import type { Any } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

/** Links that a store adds to orders and carts, and the entries that they lead to. */

let world: World
const courierIds: string[] = []
beforeAll(async () => {
  world = await openWorld()
  const couriers = await makeFlow(world.admin, 'couriers', { phone: { field_type: 'string' } })
  for (const phone of ['1', '2']) {
    const { body } = await world.admin.post(couriers.entries, { data: { type: 'entry', phone } })
    courierIds.push(body.data.id)
  }
  const to = (type: string) => [{ type, to: 'courier' }]
  for (const slug of ['orders', 'carts', 'accounts', 'depots']) {
    await makeFlow(world.admin, slug, {
      couriers: { field_type: 'relationship', validation_rules: to('one-to-many') },
      best: { field_type: 'relationship', validation_rules: to('one-to-one') },
    })
  }
})
afterAll(() => world.close())

const link = (id: string | undefined) => ({ type: 'courier', id })

const objects: readonly (readonly [flow: string, make: () => Promise<string>])[] = [
  ['orders', async () => `/v2/orders/${(await order(world.shopper)).id}`],
  [
    'carts',
    async () => {
      await world.shopper.post('/v2/carts', { data: { id: 'linked' } })
      return '/v2/carts/linked'
    },
  ],
  [
    'accounts',
    async () => {
      const { body } = await world.admin.post('/v2/accounts', { data: { type: 'account', name: 'A' } })
      return `/v2/accounts/${body.data.id}`
    },
  ],
  [
    'depots',
    async () => {
      const { body } = await world.admin.post('/v2/flows/depots/entries', { data: { type: 'entry' } })
      return `/v2/flows/depots/entries/${body.data.id}`
    },
  ],
]

test.each(objects)(
  'links that are added to %s show on them, and the entries are included',
  async (flow, make) => {
    const path = await make()
    const id = path.split('/').at(-1)
    const links = `/v2/flows/${flow}/entries/${id}/relationships`
    const before = (await world.admin.get(path)).body.data.relationships
    const [first, second] = courierIds
    await world.admin.post(`${links}/couriers`, { data: [link(first), link(second), link('nobody')] })
    await world.admin.post(`${links}/best`, { data: link(second) })
    const added = {
      couriers: { data: [link(first), link(second), link('nobody')] },
      best: { data: link(second) },
    }
    const read = await world.admin.get(path)
    expect(read.body.data.relationships).toEqual({ ...before, ...added })
    expect(read.body.included).toBeUndefined()
    expect((await world.admin.get(`/v2/flows/${flow}/entries/${id}`)).body.data.relationships).toEqual(added)
    const list = path.slice(0, path.lastIndexOf('/'))
    for (const query of [path, list]) {
      const { body } = await world.admin.get(`${query}?include=couriers,best,unknown`)
      expect(body.included.couriers.map(({ phone }: Any) => phone)).toEqual(['1', '2'])
      expect(body.included.best).toMatchObject([{ id: second, type: 'entry', phone: '2' }])
      expect(Object.keys(body.included).sort()).toEqual(['best', 'couriers'])
    }
    if (flow === 'orders') {
      const { included } = (await world.admin.get(`${path}?include=items,best`)).body
      expect([included.items.length, included.best.length]).toEqual([1, 1])
    }
    // A change of another kind keeps them.
    await world.admin.delete(`${links}/best`)
    expect((await world.admin.get(path)).body.data.relationships).toEqual({
      ...before,
      couriers: added.couriers,
    })
  },
)

test('a long page includes entries too, and is kept as a short one; one that is too long is refused', async () => {
  const shelves = await makeFlow(world.admin, 'shelves', {
    notes: { field_type: 'string' },
    couriers: { field_type: 'relationship', validation_rules: [{ type: 'one-to-many', to: 'courier' }] },
  })
  const shelf = { data: { type: 'entry', notes: 'long '.repeat(8_000) } }
  const made = await Promise.all(Array.from({ length: 60 }, () => world.admin.post(shelves.entries, shelf)))
  const { id } = made[0]?.body.data ?? {}
  await world.admin.post(`${shelves.entries}/${id}/relationships/couriers`, { data: [link(courierIds[0])] })
  const list = (limit: number) =>
    world.admin.get(`${shelves.entries}?include=couriers&sort=created_at&page[limit]=${limit}`)
  const page = await list(40)
  expect([page.body.data.length, page.body.included.couriers]).toMatchObject([40, [{ id: courierIds[0] }]])
  const whole = await world.admin.get(`${shelves.entries}?include=nothing&page[limit]=60`)
  expect([whole.body.data.length, whole.headers.get('cache-control')]).toEqual([60, 'private, no-cache'])
  const tooLong = await list(60)
  expect([tooLong.status, tooLong.body.errors[0].source]).toEqual([400, 'include'])
})

test('entries that are too long together are refused', async () => {
  const couriers = '/v2/flows/couriers/entries'
  const long = { data: { type: 'entry', phone: 'long '.repeat(8_000) } }
  const made = await Promise.all(Array.from({ length: 60 }, () => world.admin.post(couriers, long)))
  const ids: string[] = made.map(({ body }) => body.data.id)
  await world.shopper.post('/v2/carts', { data: { id: 'heavy' } })
  const links = '/v2/flows/carts/entries/heavy/relationships/couriers'
  const include = async (count: number) => {
    await world.admin.put(links, { data: ids.slice(0, count).map(link) })
    return world.shopper.get('/v2/carts/heavy?include=couriers')
  }
  expect((await include(40)).body.included.couriers.length).toBe(40)
  const refused = await include(60)
  expect([refused.status, refused.body.errors[0].source]).toEqual([400, 'include'])
})

test('the text of an object has its relationships once', async () => {
  const path = await (objects[0]?.[1] ?? String)()
  const links = `/v2/flows/orders/entries/${path.split('/').at(-1)}/relationships/best`
  await world.admin.post(links, { data: link(courierIds[0]) })
  const response = await fetch(world.url + path, { headers: { authorization: await tokenOf() } })
  expect((await response.text()).split('"relationships"').length).toBe(2)
})

async function tokenOf(): Promise<string> {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: world.key.id,
    client_secret: world.key.secret,
  })
  const issued = await fetch(`${world.url}/oauth/access_token`, { method: 'POST', body: form })
  return `Bearer ${((await issued.json()) as { access_token: string }).access_token}`
}
