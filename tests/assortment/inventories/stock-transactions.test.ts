import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ship } from '../../../server/assortment/index.ts'
import {
  act,
  level,
  located,
  makeLocation,
  makeStock,
  mustAgree,
  stockOf,
  take,
  transactionsOf,
} from '../../builders/assortment/stock.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
  for (const slug of ['north', 'south']) await makeLocation(world.admin, slug)
})
afterAll(async () => {
  await mustAgree(world)
  await world.close()
})

const short = {
  status: '422',
  title: 'Cannot complete request',
  detail: 'Your request could not be completed due to insufficient stock levels',
}

describe.each([undefined, 'north'])('the stock of %s', (location) => {
  const levelOf = async (id: string) => {
    const stock = await stockOf(world.admin, id)
    return location === undefined ? { ...stock, locations: undefined } : stock.locations[location]
  }
  const create = (n: number) =>
    makeStock(
      world.admin,
      location === undefined ? { available: n } : { locations: { [location]: { available: n } } },
    )

  test('goes up and down by transactions, and never below zero', async () => {
    const id = await create(100)
    const steps = [
      ['allocate', 30, level(70, 30)],
      ['decrement', 20, level(50, 30)],
      ['deallocate', 10, level(60, 20)],
      ['ship', 20, level(60, 0)],
      ['set', 75, level(75, 0)],
      ['increment', 5, level(80, 0)],
      ['allocate', 80, level(0, 80)],
      ['set', 80, level(0, 80)],
      ['increment', 0, level(0, 80)],
    ] as const
    expect(await levelOf(id)).toEqual({
      ...level(100, 0),
      ...(location === undefined && { locations: undefined }),
    })
    for (const [action, quantity, after] of steps) {
      if (action === 'ship') await ship(world.work, [{ productId: id, quantity, location }])
      else expect((await act(world.admin, id, action, quantity, location)).status, action).toBe(200)
      expect(await levelOf(id), `after ${action} ${quantity}`).toMatchObject(after)
    }
    for (const [action, quantity] of [
      ['decrement', 1],
      ['allocate', 1],
      ['deallocate', 81],
      ['set', 79],
    ] as const) {
      const { status, body } = await act(world.admin, id, action, quantity, location)
      expect([status, body.errors[0]], `${action} ${quantity}`).toMatchObject([422, short])
      expect(await levelOf(id), `after a refused ${action}`).toMatchObject(level(0, 80))
    }
    await expect(ship(world.work, [{ productId: id, quantity: 81, location }])).rejects.toThrow(short.detail)
    expect(await levelOf(id)).toMatchObject(level(0, 80))
  })

  test('stays within exact numbers', async () => {
    const id = await create(0)
    expect((await act(world.admin, id, 'increment', 100_000_000_000, location)).status).toBe(200)
    const more = await act(world.admin, id, 'increment', 1, location)
    expect([more.status, more.body.errors[0].detail]).toEqual([422, expect.stringContaining('100000000000')])
    const beyond = await act(world.admin, id, 'set', 100_000_000_001, location)
    expect([beyond.status, beyond.body.errors[0].source]).toEqual([400, 'data.quantity'])
  })
})

test('stock of one location is not taken from another, and the total is the sum of all', async () => {
  const id = await makeStock(world.admin, {
    available: 1,
    locations: { north: { available: 2 }, south: { available: 4 } },
  })
  expect((await act(world.admin, id, 'allocate', 3, 'north')).status).toBe(422)
  await act(world.admin, id, 'allocate', 2, 'north')
  await act(world.admin, id, 'decrement', 1)
  expect(await stockOf(world.admin, id)).toEqual({
    ...level(4, 2),
    locations: { north: level(0, 2), south: level(4, 0) },
  })
  const unknown = await act(world.admin, id, 'increment', 1, 'nowhere')
  expect([unknown.status, unknown.body.errors[0].detail]).toEqual([404, 'No location found: nowhere'])
})

test('an increment in a new location adds the location; a decrement there is refused', async () => {
  const id = await makeStock(world.admin, {})
  expect((await act(world.admin, id, 'decrement', 1, 'south')).status).toBe(422)
  await act(world.admin, id, 'increment', 3, 'south')
  expect(await stockOf(world.admin, id)).toEqual({ ...level(3, 0), locations: { south: level(3, 0) } })
  await act(world.admin, id, 'set', 5, 'north')
  expect((await stockOf(world.admin, id)).locations.north).toEqual(level(5, 0))
})

test('is shown in two dialects, also the first transaction', async () => {
  const id = await makeStock(world.admin, { locations: { north: { available: 2 } } })
  const body = {
    type: 'stock-transaction',
    attributes: { action: 'allocate', quantity: 1, location: 'north', product_id: id },
  }
  const reply = await world.admin.post(transactionsOf(id), { data: body }, located)
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  const timestamps = { created_at: time, updated_at: time }
  expect([reply.status, reply.body]).toEqual([
    201,
    {
      data: {
        id: reply.body.data.id,
        type: 'stock-transaction',
        attributes: body.attributes,
        meta: { timestamps },
      },
    },
  ])
  const [newest, oldest] = (await world.admin.get(`${transactionsOf(id)}/`, located)).body.data
  expect(newest).toEqual(reply.body.data)
  expect(oldest.attributes).toEqual({ action: 'increment', quantity: 2, location: 'north', product_id: id })

  const flat = (await world.admin.get(`${transactionsOf(id)}/`)).body.data
  const printed = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC$/)
  expect(flat).toEqual([
    { ...body.attributes, id: newest.id, type: 'stock-transaction', timestamps: { created_at: printed } },
    {
      action: 'create',
      quantity: 2,
      location: 'north',
      product_id: id,
      id: oldest.id,
      type: 'stock-transaction',
      timestamps: { created_at: printed },
    },
  ])
  for (const headers of [{}, located]) {
    const list = (await world.admin.get(transactionsOf(id), headers)).body.data
    const one = await world.admin.get(`${transactionsOf(id)}/${newest.id}`, headers)
    expect([one.status, one.body.data]).toEqual([200, list[0]])
    expect((await world.admin.get(`${transactionsOf(id)}/${randomUUID()}`, headers)).status).toBe(404)
    expect((await world.admin.get(`${transactionsOf(randomUUID())}`, headers)).status).toBe(404)
  }
})

test('is filtered by its action and its location', async () => {
  const id = await makeStock(world.admin, { available: 9, locations: { north: { available: 2 } } })
  await act(world.admin, id, 'allocate', 1, 'north')
  await act(world.admin, id, 'allocate', 1)
  const actions = async (filter: string) => {
    const { body } = await world.admin.get(`${transactionsOf(id)}?filter=${filter}`, located)
    return body.data.map(({ attributes }: { attributes: { action: string; location?: string } }) => [
      attributes.action,
      attributes.location,
    ])
  }
  expect(await actions('eq(action,allocate)')).toEqual([
    ['allocate', undefined],
    ['allocate', 'north'],
  ])
  expect(await actions('eq(location,north)')).toEqual([
    ['allocate', 'north'],
    ['increment', 'north'],
  ])
  expect(await actions('in(action,increment,set):eq(location,north)')).toEqual([['increment', 'north']])
})

test('an invalid transaction is refused by the name of its field', async () => {
  const id = await makeStock(world.admin, { available: 1 })
  const good = { action: 'increment', quantity: 1 }
  for (const [bad, source] of [
    [{ action: 'create' }, 'action'],
    [{ action: undefined }, 'action'],
    [{ quantity: -1 }, 'quantity'],
    [{ quantity: 1.5 }, 'quantity'],
    [{ quantity: undefined }, 'quantity'],
    [{ location: '' }, 'location'],
    [{ location: 'x'.repeat(129) }, 'location'],
    [{ product_id: randomUUID() }, 'product_id'],
  ] as const) {
    const data = { ...good, ...bad }
    const flat = await world.admin.post(transactionsOf(id), { data })
    expect([flat.status, flat.body.errors[0].source], JSON.stringify(data)).toEqual([400, `data.${source}`])
    const nested = await world.admin.post(
      transactionsOf(id),
      { data: { type: 'stock-transaction', attributes: data } },
      located,
    )
    expect([nested.status, nested.body.errors[0].source], JSON.stringify(data)).toEqual([
      400,
      `data.attributes.${source}`,
    ])
  }
  expect((await stockOf(world.admin, id)).total).toBe(1)
  expect((await act(world.admin, randomUUID(), 'increment', 1)).status).toBe(404)
})

test('runs once for an Idempotency-Key', async () => {
  const id = await makeStock(world.admin, { available: 10 })
  const headers = { 'idempotency-key': randomUUID() }
  const body = { data: { action: 'allocate', quantity: 4 } }
  const together = await Promise.all(
    [1, 2, 3, 4].map(() => world.admin.post(transactionsOf(id), body, headers)),
  )
  expect(together.filter(({ status }) => status !== 200 && status !== 409)).toEqual([])
  await world.admin.post(transactionsOf(id), body, headers)
  expect(await stockOf(world.admin, id)).toMatchObject(level(6, 4))
})

test('is an event in the feed, with the actor and the request', async () => {
  const id = await makeStock(world.admin, { available: 10 })
  const reply = await act(world.admin, id, 'allocate', 4)
  const { rows } = await world.feed('SELECT type, event, doc, request_id FROM changes WHERE id = $1', [
    reply.body.data.id,
  ])
  const attributes = { action: 'allocate', product_id: id, quantity: 4 }
  const request_id = reply.headers.get('x-request-id')
  expect(rows).toEqual([{ type: 'stock-transaction', event: 'created', doc: { attributes }, request_id }])
})

test('an order’s products are all allocated, or none', async () => {
  const [plenty, scarce] = [
    await makeStock(world.admin, { available: 10 }),
    await makeStock(world.admin, { available: 2 }),
  ]
  const portions = (n: number) => [
    { productId: plenty, quantity: 1 },
    { productId: randomUUID(), quantity: 1000 },
    { productId: scarce, quantity: n },
    { productId: plenty, quantity: 2 },
  ]
  await expect(take(world.work, portions(3))).rejects.toMatchObject({
    status: 422,
    meta: { ids: [scarce] },
  })
  expect(await stockOf(world.admin, plenty)).toMatchObject(level(10, 0))
  await take(world.work, portions(2))
  expect(await stockOf(world.admin, plenty)).toMatchObject(level(7, 3))
  expect(await stockOf(world.admin, scarce)).toMatchObject(level(0, 2))
})

test('an order without a location takes what is outside of all locations first, and then where most is', async () => {
  for (const slug of ['some', 'most']) await makeLocation(world.admin, slug)
  const id = await makeStock(world.admin, {
    available: 2,
    locations: { some: { available: 3 }, most: { available: 5 } },
  })
  const portions = [
    { productId: id, quantity: 6 },
    { productId: id, quantity: 2, location: 'some' },
  ]
  const taken = await take(world.work, portions)
  expect(taken).toEqual([
    { productId: id, quantity: 2, location: 'some' },
    { productId: id, quantity: 2 },
    { productId: id, quantity: 4, location: 'most' },
  ])
  expect(await stockOf(world.admin, id)).toMatchObject(level(2, 8))
  await expect(take(world.work, [{ productId: id, quantity: 3 }])).rejects.toMatchObject({ status: 422 })
  await ship(world.work, taken)
  expect(await stockOf(world.admin, id)).toMatchObject(level(2, 0))
})
