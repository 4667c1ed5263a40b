import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lockPlaces, moveStock, showLevels } from '../../../server/assortment/inventories/move-stock.ts'
import { stocks } from '../../../server/assortment/inventories/stocks.ts'
import {
  act,
  happened,
  level,
  located,
  makeLocation,
  makeStock,
  mustAgree,
  stockOf,
  transactionsOf,
} from '../../builders/assortment/stock.ts'
import { untilWaiting } from '../../support/in-the-way.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(async () => {
  await mustAgree(world)
  await world.close()
})

const locations = '/v2/inventories/locations'
const type = 'inventory_location'

test('a location has a name, a slug and an address', async () => {
  const attributes = {
    name: 'Harbour',
    slug: `harbour-${randomUUID()}`,
    external_ref: 'h-1',
    description: 'By the sea',
    address: ['1 Quay Road', 'Norwich'],
    geolocation: { lat: -90, lon: 180 },
  }
  const reply = await world.admin.post(`${locations}/`, { data: { type, attributes } }, located)
  expect([reply.status, reply.body.data]).toMatchObject([201, { type, attributes }])
  const path = `${locations}/${reply.body.data.id}`
  const empty = { external_ref: null, description: null, address: null, geolocation: null }
  const changed = await world.admin.put(path, { data: { type, id: reply.body.data.id, attributes: empty } })
  const { name, slug } = attributes
  expect([changed.status, changed.body.data.attributes], 'what is emptied is not shown').toEqual([
    200,
    { name, slug },
  ])
  expect((await world.admin.get(path)).body.data.attributes).toEqual({ name, slug })
  for (const filter of [`eq(slug,${attributes.slug})`, 'like(name,Harb*)']) {
    const list = await world.admin.get(`${locations}?filter=${filter}`)
    expect(
      list.body.data.map(({ id }: { id: string }) => id),
      filter,
    ).toContain(reply.body.data.id)
  }
})

test('an invalid location is refused by the name of its field', async () => {
  const good = { name: 'Anywhere', slug: 'anywhere' }
  for (const [bad, source] of [
    [{ name: 'ab' }, 'name'],
    [{ name: 'x'.repeat(1025) }, 'name'],
    [{ slug: '' }, 'slug'],
    [{ slug: 'x'.repeat(129) }, 'slug'],
    [{ external_ref: 'ab' }, 'external_ref'],
    [{ description: 'ab' }, 'description'],
    [{ address: [] }, 'address'],
    [{ address: Array.from({ length: 9 }, () => 'x') }, 'address'],
    [{ address: ['x'.repeat(1025)] }, 'address.0'],
    [{ geolocation: { lat: 1 } }, 'geolocation.lon'],
    [{ geolocation: { lat: 91, lon: 0 } }, 'geolocation.lat'],
  ] as const) {
    const { status, body } = await world.admin.post(locations, {
      data: { type, attributes: { ...good, ...bad } },
    })
    expect([status, body.errors[0].source], JSON.stringify(bad).slice(0, 60)).toEqual([
      400,
      `data.attributes.${source}`,
    ])
  }
  await makeLocation(world.admin, 'taken')
  const again = await world.admin.post(locations, { data: { type, attributes: { ...good, slug: 'taken' } } })
  expect([again.status, again.body.errors[0].source]).toEqual([400, 'data.attributes.slug'])
})

test('a location that changes its slug keeps its stock, and the old slug can be used again', async () => {
  const [id, stock] = [
    await makeLocation(world.admin, 'before'),
    await makeStock(world.admin, { locations: { before: { available: 3 } } }),
  ]
  const etag = (await world.admin.get(`/v2/inventories/${stock}`)).headers.get('etag')
  const renamed = await world.admin.put(`${locations}/${id}`, {
    data: { type, id, attributes: { slug: 'after' } },
  })
  expect(renamed.status).toBe(200)
  expect((await stockOf(world.admin, stock)).locations).toEqual({ after: level(3, 0) })
  expect((await world.admin.get(`/v2/inventories/${stock}`)).headers.get('etag')).not.toBe(etag)
  expect((await act(world.admin, stock, 'allocate', 1, 'before')).status).toBe(404)
  expect((await act(world.admin, stock, 'allocate', 1, 'after')).status).toBe(200)
  expect(
    (await world.admin.get(`${transactionsOf(stock)}?filter=eq(location,before)`)).body.data.length,
  ).toBe(1)
  await makeLocation(world.admin, 'before')
  // The slug that each transaction had is not the location's own any more.
  await world.admin.delete(`/v2/inventories/${stock}`)
})

test('deleting a location removes its stock, and records that in transactions', async () => {
  await makeLocation(world.admin, 'stays')
  const id = await makeLocation(world.admin, 'goes')
  const both = await makeStock(world.admin, {
    available: 1,
    locations: { goes: { available: 5 }, stays: { available: 2 } },
  })
  const none = await makeStock(world.admin, { locations: { goes: { available: 0 } } })
  await act(world.admin, both, 'allocate', 2, 'goes')
  expect((await world.admin.delete(`${locations}/${id}`)).status).toBe(204)
  expect((await world.admin.get(`${locations}/${id}`)).status).toBe(404)
  expect(await stockOf(world.admin, both)).toEqual({ ...level(3, 0), locations: { stays: level(2, 0) } })
  expect(await stockOf(world.admin, none)).toEqual({ ...level(0, 0), locations: {} })
  const { data } = (await world.admin.get(transactionsOf(both), located)).body
  const records = data.slice(0, 2).map(({ attributes }: { attributes: object }) => attributes)
  expect(records).toEqual([
    { action: 'decrement', quantity: 5, location: 'goes', product_id: both },
    { action: 'deallocate', quantity: 2, location: 'goes', product_id: both },
  ])
  expect((await act(world.admin, both, 'increment', 1, 'goes')).status).toBe(404)
})

test('deleting a location waits for stock that is being added, and removes it too', async () => {
  const id = await makeLocation(world.admin, 'dock')
  const stock = await makeStock(world.admin, { available: 1 })
  const { deleting } = await world.work.transaction(async (work) => {
    const place = (await lockPlaces(work, ['dock'])).get('dock')
    const deleting = world.admin.delete(`${locations}/${id}`)
    await untilWaiting(world, 1)
    await work.store.lock(stocks, stock)
    await moveStock(work, [{ productId: stock, place, adds: { available: 5, allocated: 0 } }])
    await showLevels(work, [stock])
    return { deleting }
  })
  expect((await deleting).status).toBe(204)
  expect(await stockOf(world.admin, stock)).toEqual({ ...level(1, 0), locations: {} })
})

test('locations are created, deleted and renamed while stock moves, without losses or deadlocks', async () => {
  const products = await Promise.all([1, 2, 3, 4].map(() => makeStock(world.admin, { available: 50 })))
  const slugs = ['east', 'west']
  const ids = new Map(
    await Promise.all(slugs.map(async (slug) => [slug, await makeLocation(world.admin, slug)] as const)),
  )
  const answered: number[] = []
  const keep = ({ status }: { status: number }) => void answered.push(status)
  const movers = Array.from({ length: 12 }, async (_, n) => {
    for (let i = 0; i < 8; i++) {
      const id = products[(n + i) % products.length] as string
      const [action, place] = [
        ['increment', 'allocate', 'set', 'deallocate'][i % 4] as string,
        [...slugs, undefined][n % 3],
      ]
      keep(await act(world.admin, id, action, 3, place))
    }
  })
  const planners = slugs.map(async (slug) => {
    for (let i = 0; i < 4; i++) {
      const path = `${locations}/${ids.get(slug)}`
      keep(await world.admin.put(path, { data: { type, attributes: { slug: `${slug}-${i}` } } }))
      keep(await world.admin.put(path, { data: { type, attributes: { slug } } }))
      keep(await world.admin.delete(path))
      ids.set(slug, await makeLocation(world.admin, slug))
    }
  })
  await Promise.all([...movers, ...planners])
  expect([...new Set(answered)].filter((status) => ![200, 204, 404, 422].includes(status))).toEqual([])
  for (const id of products) {
    const stock = await stockOf(world.admin, id)
    const { rows } = await world.sql(
      'SELECT sum(available) AS available, sum(allocated) AS allocated FROM stock_levels WHERE stock_id = $1',
      [id],
    )
    expect(stock).toMatchObject(level(Number(rows[0].available), Number(rows[0].allocated)))
  }
  // Under slugs of their time, transactions are summed up by product.
  const { rows } = await world.sql(
    `SELECT t.stock_id FROM stock_transactions t WHERE t.store_id = $1 GROUP BY t.stock_id
     HAVING ${happened.available} <> (SELECT sum(l.available) FROM stock_levels l WHERE l.store_id = $1 AND l.stock_id = t.stock_id)
       OR ${happened.allocated} <> (SELECT sum(l.allocated) FROM stock_levels l WHERE l.store_id = $1 AND l.stock_id = t.stock_id)`,
    [world.storeId],
  )
  expect(rows, 'products whose stock is not the sum of its transactions').toEqual([])
  for (const id of products) await world.admin.delete(`/v2/inventories/${id}`)
})
