import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stockOf as stockOfAll } from '../../../server/assortment/index.ts'
import {
  act,
  level,
  located,
  makeLocation,
  makeStock,
  mustAgree,
  stockOf,
  transactionsOf,
} from '../../builders/assortment/stock.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
  for (const slug of ['north', 'south', 'west']) await makeLocation(world.admin, slug)
})
afterAll(async () => {
  await mustAgree(world)
  await world.close()
})

const at = (id: string) => `/v2/inventories/${id}`
const put = (id: string, locations: object, headers = {}) =>
  world.admin.put(
    at(id),
    { data: { type: 'stock', id, attributes: { locations } } },
    { ...located, ...headers },
  )

test('the same stock is shown in two dialects, chosen by a header', async () => {
  const id = await makeStock(world.admin, {
    available: 4,
    locations: { north: { available: 1 }, south: { available: 0 } },
  })
  await act(world.admin, id, 'allocate', 1, 'north')
  const time = expect.stringMatching(/\.\d{6}Z$/)
  const meta = { stock_id: id, timestamps: { created_at: time, updated_at: time } }
  const nested = {
    id,
    type: 'stock',
    attributes: { ...level(4, 1), locations: { north: level(0, 1), south: level(0, 0) } },
    meta,
  }
  const flat = { id, type: 'stock', ...level(4, 1), meta }
  for (const [headers, shown] of [
    [{}, flat],
    [{ 'EP-Inventories-Multi-Location': 'false' }, flat],
    [{ 'ep-inventories-multi-location': 'true' }, nested],
    [{ 'EP-INVENTORIES-MULTI-LOCATION': 'True' }, nested],
    [{ 'EP-Inventories-Multi-Location': 'TRUE' }, nested],
  ] as const) {
    const one = await world.admin.get(`${at(id)}/`, headers)
    expect([one.status, one.body], JSON.stringify(headers)).toEqual([200, { data: shown }])
    expect(one.headers.get('vary')).toContain('EP-Inventories-Multi-Location')
    const list = await world.admin.get(`/v2/inventories/?filter=eq(product_id,${id})`, headers)
    expect(list.body.data, 'in the list').toEqual([shown])
    const some = await world.admin.post('/v2/inventories/multiple/', { data: [{ id }] }, headers)
    expect([some.status, some.body], 'among some').toEqual([200, { data: [shown] }])
  }
})

test('an update refuses quantities that it would not set, unless they are the current ones', async () => {
  const id = await makeStock(world.admin, { available: 4 })
  const { body } = await world.admin.get(at(id), located)
  expect(
    (await world.admin.put(at(id), { data: { ...body.data, attributes: { available: 4 } } })).status,
  ).toBe(200)
  for (const [data, source] of [
    [{ available: 9 }, 'data.available'],
    [{ quantity: 4 }, 'data.quantity'],
    [{ attributes: { available: 9 } }, 'data.attributes.available'],
  ] as const) {
    const refused = await world.admin.put(at(id), { data: { type: 'stock', id, ...data } })
    expect([refused.status, refused.body.errors[0].source]).toEqual([400, source])
    expect(refused.body.errors[0].detail).toContain('locations')
  }
  const both = {
    data: { ...body.data, attributes: { available: 4, locations: { north: { available: 1 } } } },
  }
  expect((await world.admin.put(at(id), both, located)).body.data.attributes.available).toBe(5)
})

describe('stock is created', () => {
  test('for a product, for an id without a product, and without quantities', async () => {
    const reply = await world.admin.post(
      '/v2/inventories',
      { data: { type: 'stock', attributes: {} } },
      located,
    )
    expect([reply.status, reply.body.data.attributes]).toEqual([201, { ...level(0, 0), locations: {} }])
    const { id } = reply.body.data
    expect((await world.admin.get(transactionsOf(id))).body.data).toMatchObject([
      { action: 'create', quantity: 0 },
    ])
  })

  test('without the header too, as the attributes show the dialect', async () => {
    const id = randomUUID()
    const attributes = { locations: { north: { available: 1 }, south: { available: 2 } } }
    const reply = await world.admin.post('/v2/inventories/', {
      data: { type: 'stock', id: id.toUpperCase(), attributes },
    })
    expect([reply.status, reply.body.data.id, reply.body.data.attributes.available]).toEqual([201, id, 3])
    const flat = await world.admin.post('/v2/inventories', {
      data: { type: 'stock', id: randomUUID(), available: 5 },
    })
    expect([flat.status, flat.body.data]).toMatchObject([201, level(5, 0)])
  })

  test('under the id in the path, as clients of the first dialect do', async () => {
    for (const [body, n] of [
      [{ data: { quantity: 100 } }, 100],
      [{ data: { type: 'stock' } }, 0],
    ] as const) {
      const id = randomUUID()
      const reply = await world.admin.post(at(id), body)
      expect([reply.status, reply.body.data]).toMatchObject([201, { id, type: 'stock', ...level(n, 0) }])
      expect((await world.admin.get(transactionsOf(id))).body.data).toMatchObject([
        { action: 'create', quantity: n },
      ])
    }
  })

  test('under the id in the path with locations too, in either dialect', async () => {
    const locations = { north: { available: 2 }, south: { available: 3 } }
    for (const [data, n] of [
      [{ attributes: { locations } }, 5],
      [{ type: 'stock', attributes: { available: 4, locations } }, 9],
      [{ locations }, 5],
      [{ available: 12 }, 12],
      [{ attributes: { quantity: 6 } }, 6],
      [{ available: 7, quantity: 7, total: 9 }, 7],
    ] as const) {
      for (const headers of [located, {}]) {
        for (const path of ['', `/${randomUUID()}`]) {
          const reply = await world.admin.post(
            `/v2/inventories${path}`,
            { data: { type: 'stock', ...data } },
            headers,
          )
          expect([reply.status, reply.body.errors]).toEqual([201, undefined])
          expect(await stockOf(world.admin, reply.body.data.id), JSON.stringify(data)).toMatchObject(
            level(n, 0),
          )
        }
      }
    }
  })

  test('only from its own members: other members about stock are refused', async () => {
    for (const [data, source] of [
      [{ total: 12 }, 'data.total'],
      [{ stock: 12 }, 'data.stock'],
      [{ attributes: { amount: 12 } }, 'data.attributes.amount'],
      [{ available: 1, quantity: 2 }, 'data.quantity'],
      [{ attributes: { available: 1, quantity: 2 } }, 'data.attributes.quantity'],
      [{ locations: { north: { quantity: 2 } } }, 'data.locations.north.available'],
    ] as const) {
      const id = randomUUID()
      for (const [path, own] of [
        [at(id), {}],
        ['/v2/inventories', { id }],
      ] as const) {
        const refused = await world.admin.post(path, { data: { type: 'stock', ...own, ...data } })
        expect([refused.status, refused.body.errors[0].source]).toEqual([400, source])
        expect(refused.body.errors[0].detail).toContain('available')
      }
      expect((await world.admin.get(at(id))).status).toBe(404)
    }
  })

  test('once for each product, and a second create changes nothing', async () => {
    const id = await makeStock(world.admin, { available: 7 })
    const again = await Promise.all([
      world.admin.post(
        '/v2/inventories',
        { data: { type: 'stock', id, attributes: { available: 1 } } },
        located,
      ),
      world.admin.post(at(id), { data: { quantity: 1 } }),
    ])
    for (const { status, body } of again) expect([status, body.errors[0].source]).toEqual([400, 'data.id'])
    expect(await stockOf(world.admin, id)).toMatchObject(level(7, 0))
    const fresh = randomUUID()
    const together = await Promise.all(
      [1, 2, 3, 4].map(() => world.admin.post(at(fresh), { data: { quantity: 3 } })),
    )
    expect(together.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400])
    expect(await stockOf(world.admin, fresh)).toMatchObject(level(3, 0))
  })

  test('only in existing locations, with valid numbers', async () => {
    const post = (attributes: object, id: unknown = randomUUID()) =>
      world.admin.post('/v2/inventories', { data: { type: 'stock', id, attributes } }, located)
    for (const [reply, status, source] of [
      [await post({ locations: { nowhere: { available: 1 } } }), 404, undefined],
      [await post({ available: -1 }), 400, 'data.attributes.available'],
      [await post({ available: 1.5 }), 400, 'data.attributes.available'],
      [await post({ available: 100_000_000_001 }), 400, 'data.attributes.available'],
      [await post({ locations: { north: {} } }), 400, 'data.attributes.locations.north.available'],
      [
        await post({ locations: { north: { available: -1 } } }),
        400,
        'data.attributes.locations.north.available',
      ],
      [await post({ locations: { north: null } }), 400, 'data.attributes.locations.north'],
      [await post({}, 'no id'), 400, 'data.id'],
      [await world.admin.post(at('no-id'), { data: { quantity: 1 } }), 404, undefined],
    ] as const) {
      expect([reply.status, reply.body.errors?.[0].source]).toEqual([status, source])
    }
  })
})

describe('stock in locations is changed', () => {
  test('to the sent quantities; null removes a location, and the others stay', async () => {
    const id = await makeStock(world.admin, {
      available: 9,
      locations: { north: { available: 2 }, south: { available: 3 } },
    })
    await act(world.admin, id, 'allocate', 2, 'north')
    await act(world.admin, id, 'allocate', 1, 'south')
    const { status, body } = await put(id, { north: null, west: { available: 0 }, south: { available: 10 } })
    expect([status, body.data.attributes]).toEqual([
      200,
      { ...level(19, 1), locations: { south: level(10, 1), west: level(0, 0) } },
    ])
    const { data } = (await world.admin.get(transactionsOf(id))).body
    const changes = data
      .slice(0, 4)
      .map((one: Record<string, unknown>) => [one.location, one.action, one.quantity])
    expect(changes.sort()).toEqual([
      ['north', 'deallocate', 2],
      ['north', 'decrement', 2],
      ['south', 'increment', 8],
      ['west', 'increment', 0],
    ])
    await put(id, { north: { available: 1 } })
    expect((await stockOf(world.admin, id)).locations.north, 'a location that is back').toEqual(level(1, 0))
  })

  test('without effect by its own response', async () => {
    const id = await makeStock(world.admin, { available: 9, locations: { north: { available: 2 } } })
    await act(world.admin, id, 'allocate', 1, 'north')
    const { body } = await world.admin.get(at(id), located)
    const back = await world.admin.put(at(id), body, located)
    expect([back.status, back.body.data.attributes]).toEqual([200, body.data.attributes])
    expect((await world.admin.get(transactionsOf(id))).body.meta.results.total).toBe(3)
  })

  test('only in existing locations, of existing stock, in the version of If-Match', async () => {
    const id = await makeStock(world.admin, { locations: { north: { available: 2 } } })
    expect((await put(id, { nowhere: { available: 1 } })).status).toBe(404)
    expect((await put(id, { nowhere: null })).status).toBe(404)
    expect((await put(randomUUID(), { north: { available: 1 } })).status).toBe(404)
    for (const bad of [{ available: -1 }, {}, 1, { available: '1' }]) {
      const { status, body } = await put(id, { north: bad })
      expect([status, body.errors[0].source]).toEqual([
        400,
        expect.stringMatching(/^data\.attributes\.locations\.north/),
      ])
    }
    const etag = (await world.admin.get(at(id), located)).headers.get('etag') as string
    expect((await put(id, { north: { available: 3 } }, { 'if-match': etag })).status).toBe(200)
    expect((await put(id, { north: { available: 4 } }, { 'if-match': etag })).status).toBe(412)
    expect(await stockOf(world.admin, id)).toMatchObject(level(3, 0))
  })
})

test('deleted stock is a 404, with its transactions', async () => {
  const id = await makeStock(world.admin, { available: 5, locations: { north: { available: 2 } } })
  await act(world.admin, id, 'allocate', 2, 'north')
  expect((await world.admin.delete(at(id), located)).status).toBe(204)
  for (const headers of [{}, located]) {
    for (const path of [at(id), transactionsOf(id)])
      expect((await world.admin.get(path, headers)).status).toBe(404)
    expect((await world.admin.delete(at(id), headers)).status).toBe(404)
  }
  expect((await world.admin.post(at(id), { data: { quantity: 0 } })).status).toBe(201)
  expect(await stockOf(world.admin, id)).toEqual({ ...level(0, 0), locations: {} })
})

test('an entity tag is valid in both dialects until the stock changes', async () => {
  const id = await makeStock(world.admin, { available: 5 })
  for (const headers of [{}, located]) {
    const etag = (await world.admin.get(at(id), headers)).headers.get('etag') as string
    expect((await world.admin.get(at(id), { ...headers, 'if-none-match': etag })).status).toBe(304)
    await act(world.admin, id, 'allocate', 1)
    expect((await world.admin.get(at(id), { ...headers, 'if-none-match': etag })).status).toBe(200)
  }
})

test('is filtered by quantity, location and product; the list has the exact total', async () => {
  const few = await makeStock(world.admin, { available: 40_001 })
  const many = await makeStock(world.admin, { available: 39_999, locations: { west: { available: 4 } } })
  const ids = async (filter: string, headers = {}) => {
    const { body } = await world.admin.get(`/v2/inventories?filter=${filter}&page[limit]=100`, headers)
    expect(body.meta.results.total, filter).toBe(body.data.length)
    return body.data.map(({ id }: { id: string }) => id).sort()
  }
  for (const headers of [{}, located]) {
    expect(await ids('eq(available,40001)', headers)).toEqual([few])
    expect(await ids('gt(available,40001)', headers)).toContain(many)
    expect(await ids('ge(available,40001):lt(available,40002)', headers)).toEqual([few])
    expect(await ids(`in(product_id,${few},${many})`, headers)).toEqual([few, many].sort())
    expect(await ids('eq(location,west):gt(available,40000)', headers)).toEqual([many])
    expect(await ids('in(locations,west,nowhere):gt(available,40000)', headers)).toEqual([many])
    expect(await ids('eq(location,nowhere)', headers)).toEqual([])
  }
  const all = (await world.admin.get('/v2/inventories')).body.meta.results
  expect(all.all).toBe(all.total)
  const results = (await world.admin.get('/v2/inventories?filter=eq(available,40001)')).body.meta.results
  expect(results).toEqual({ total: 1, all: all.all })
  expect((await world.admin.get('/v2/inventories', located)).body.meta.results).toEqual({ total: all.total })
})

test('shoppers see stock and its locations, but not its transactions', async () => {
  const id = await makeStock(world.admin, { available: 5, locations: { north: { available: 2 } } })
  const { shopper } = world
  const unknown = randomUUID()
  const some = await shopper.post('/v2/inventories/multiple', {
    data: [{ id: unknown }, { type: 'stock', id }, { id }],
  })
  expect([some.status, some.body.data]).toMatchObject([200, [{ id, ...level(7, 0) }]])
  for (const path of [at(id), '/v2/inventories', '/v2/inventories/locations'])
    expect((await shopper.get(path)).status).toBe(200)
  expect((await shopper.get(transactionsOf(id))).status).toBe(403)
  expect((await act(shopper, id, 'increment', 1)).status).toBe(403)
  expect((await shopper.post(at(randomUUID()), { data: { quantity: 1 } })).status).toBe(403)
  expect((await shopper.delete(at(id))).status).toBe(403)
  expect(await stockOfAll(world.work, [id, unknown])).toEqual(
    new Map([[id, { ...level(7, 0), locations: { north: level(2, 0) } }]]),
  )
  for (const data of [undefined, {}, [{}], [{ id: 'x' }], Array.from({ length: 1001 }, () => ({ id }))]) {
    expect((await shopper.post('/v2/inventories/multiple', { data })).status).toBe(400)
  }
})

test('the stock of another store can be neither seen nor changed', async () => {
  const id = await makeStock(world.admin, { available: 5 })
  expect((await world.other.get(at(id))).status).toBe(404)
  expect((await act(world.other, id, 'decrement', 1)).status).toBe(404)
  expect((await world.other.post('/v2/inventories/multiple', { data: [{ id }] })).body.data).toEqual([])
  expect((await world.other.post(at(id), { data: { quantity: 1 } })).status).toBe(201)
  expect(await stockOf(world.admin, id)).toMatchObject(level(5, 0))
})
