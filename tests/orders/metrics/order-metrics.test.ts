import { afterAll, beforeAll, expect, test } from 'vitest'
import { mergeOrderSums } from '../../../server/orders/metrics/merge-order-sums.ts'
import { order, wrap } from '../../builders/orders/buying.ts'
import { addPastOrders } from '../../builders/orders/past-orders.ts'
import type { Any } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let copied: Any
beforeAll(async () => {
  world = await openWorld()
  copied = await order(world.admin, wrap())
  await addPastOrders(world, copied.id, [
    { createdAt: '2026-01-03T10:00:00Z', value: 10_000, discount: 1000 },
    { createdAt: '2026-01-03T23:00:00Z', value: 5000 },
    { createdAt: '2026-01-05T00:00:00Z', value: 7000 },
    { createdAt: '2026-01-03T10:00:00Z', value: 999, currency: 'EUR' },
    { createdAt: '2026-01-03T10:00:00Z', value: 999, status: 'cancelled' },
  ])
})
afterAll(() => world.close())

const get = async (name: string, query: object, more = '') => {
  const search = new URLSearchParams({ currency: 'USD', ...query })
  return world.admin.get(`/v2/metrics/orders/${name}?${search}${more}`)
}
const read = async (name: string, query: object) => (await get(name, query)).body.data
const from = { start_date: '2026-01-03T00:00:00.000Z', end_date: '2026-01-05T00:00:00.000Z' }
const days = { ...from, interval: '1d' }

test('a period has its orders of a currency, without cancelled ones, and its end is not included', async () => {
  expect(await read('summary', from)).toEqual({ count: 2, total_value: 15_000, total_discount: 1000 })
  expect(await read('summary', { ...from, currency: 'eur' })).toEqual({
    count: 1,
    total_value: 999,
    total_discount: 0,
  })
  expect(await read('timeseries/count', days)).toEqual([
    { start_date: '2026-01-03T00:00:00.000Z', count: 2 },
    { start_date: '2026-01-04T00:00:00.000Z', count: 0 },
  ])
  expect((await read('timeseries/value', days)).map(({ value }: Any) => value)).toEqual([15_000, 0])
  expect((await read('timeseries/discount', days)).map(({ discount }: Any) => discount)).toEqual([1000, 0])
})

test('a bucket is an hour, a day or a week from Monday on, and may begin before the period', async () => {
  const starts = async (query: object) =>
    (await read('timeseries/count', { ...from, ...query })).map(({ start_date, count }: Any) => [
      start_date,
      count,
    ])
  expect(await starts({ interval: '1wk' })).toEqual([['2025-12-29T00:00:00.000Z', 2]])
  const half = { start_date: '2026-01-03T10:00:00.001Z', end_date: '2026-01-03T12:00:00Z', interval: '1hr' }
  expect(await starts(half)).toEqual([
    ['2026-01-03T10:00:00.000Z', 0],
    ['2026-01-03T11:00:00.000Z', 0],
  ])
  expect(await starts({ interval: '1d', timezone: 'Asia/Kolkata' })).toEqual([
    ['2026-01-02T18:30:00.000Z', 1],
    ['2026-01-03T18:30:00.000Z', 1],
    ['2026-01-04T18:30:00.000Z', 0],
  ])
  const first = {
    start_date: '0001-01-01',
    end_date: '0001-01-02',
    interval: '1hr',
    timezone: 'Asia/Kolkata',
  }
  expect((await starts(first))[0]).toEqual(['0001-01-01T00:00:00.000Z', 0])
  const summer = { start_date: '2026-10-24T23:00:00Z', end_date: '2026-10-26T00:00:00Z', interval: '1d' }
  // The clocks are put back on that day.
  expect(await starts({ ...summer, timezone: 'Europe/London' })).toEqual([['2026-10-24T23:00:00.000Z', 0]])
})

test('a day begins with the first of two midnights, where the clocks are put back at one', async () => {
  // In the Azores on 25 October from 01:00 to 00:00, and in Beirut on 29 March from 00:00 to 01:00.
  await addPastOrders(world, copied.id, [
    { createdAt: '2026-10-25T00:30:00Z', value: 1, currency: 'CHF' },
    { createdAt: '2026-10-25T01:30:00Z', value: 1, currency: 'CHF' },
    { createdAt: '2026-03-28T21:59:59Z', value: 1, currency: 'CHF' },
    { createdAt: '2026-03-28T22:00:00Z', value: 1, currency: 'CHF' },
  ])
  const starts = async (start_date: string, end_date: string, timezone: string) => {
    const query = { ...{ currency: 'CHF', start_date, end_date, timezone }, interval: '1d' }
    return (await read('timeseries/count', query)).map((one: Any) => [one.start_date, one.count])
  }
  expect(await starts('2026-10-25T00:10:00Z', '2026-10-27T00:00:00Z', 'Atlantic/Azores')).toEqual([
    ['2026-10-25T00:00:00.000Z', 2],
    ['2026-10-26T01:00:00.000Z', 0],
  ])
  expect(await starts('2026-10-24T00:00:00Z', '2026-10-25T12:00:00Z', 'Atlantic/Azores')).toEqual([
    ['2026-10-24T00:00:00.000Z', 0],
    ['2026-10-25T00:00:00.000Z', 2],
  ])
  expect(await starts('2026-03-28T20:00:00Z', '2026-03-29T21:00:00Z', 'Asia/Beirut')).toEqual([
    ['2026-03-27T22:00:00.000Z', 1],
    ['2026-03-28T22:00:00.000Z', 1],
  ])
})

test('times have any number of digits, and an offset', async () => {
  const count = async (start_date: string, end_date = from.end_date) =>
    (await read('summary', { start_date, end_date })).count
  expect(await count('2026-01-03T10:00:00Z')).toBe(2)
  expect(await count('2026-01-03T10:00:00.000000001Z')).toBe(1)
  expect(await count('2026-01-03T11:00:00.5+01:00')).toBe(1)
  expect(await count('2026-01-03T11:00:00+01:00', '2026-01-03T10:00:00.0001Z')).toBe(1)
  const raw =
    '/v2/metrics/orders/summary?currency=USD&start_date=2026-01-03T11:00:00+01:00&end_date=2026-01-04'
  expect((await world.admin.get(raw)).body.data.count).toBe(2)
})

test('what happens to an order changes the sums at once, and merging changes nothing', async () => {
  const period = { start_date: '2026-03-01', end_date: '2026-04-01' }
  const ids = await addPastOrders(world, copied.id, [
    { createdAt: '2026-03-01T00:00:00Z', value: 100, discount: 10 },
    { createdAt: '2026-03-15T12:00:00Z', value: 200 },
    { createdAt: '2026-03-31T23:59:59.999Z', value: 300 },
  ])
  const sums = async () => {
    const before = Object.values(await read('summary', period))
    await mergeOrderSums.run(world.server.instance)
    expect(Object.values(await read('summary', period)), 'after a merge').toEqual(before)
    return before
  }
  expect(await sums()).toEqual([3, 600, 10])
  const cancelled = await world.admin.put(`/v2/orders/${ids[0]}`, {
    data: { type: 'order', status: 'cancelled' },
  })
  expect(cancelled.status).toBe(200)
  expect(await sums()).toEqual([2, 500, 0])
  const at = '2026-02-28T23:59:59.999Z'
  await world.sql('UPDATE orders SET created_at = $2 WHERE id = $1', [ids[1], at])
  expect(await sums()).toEqual([1, 300, 0])
  await world.sql('DELETE FROM orders WHERE id = $1', [ids[2]])
  expect(await sums()).toEqual([0, 0, 0])
  expect(await read('summary', { start_date: at, end_date: '2026-03-01' })).toMatchObject({ count: 1 })
})

test('a checkout counts when it is made', async () => {
  const { body } = await world.admin.get(`/v2/orders/${copied.id}`)
  const at = Date.parse(body.data.meta.timestamps.created_at)
  const around = {
    start_date: new Date(at - 60_000).toISOString(),
    end_date: new Date(at + 60_000).toISOString(),
  }
  expect(await read('summary', around)).toMatchObject({ count: 1, total_value: 1000 })
})

test('a request without a period, a currency or an interval is refused, and so is one with others', async () => {
  const asked = { ...days, currency: 'USD' }
  const refusal = async (changes: object, name = 'timeseries/count') => {
    const query = Object.entries({ ...asked, ...changes }).filter(([, value]) => value !== undefined)
    const { status, body } = await world.admin.get(
      `/v2/metrics/orders/${name}?${new URLSearchParams(query as [string, string][])}`,
    )
    return [status, body.errors?.[0].title, body.errors?.[0].source, body.errors?.[0].detail]
  }
  for (const name of ['start_date', 'end_date', 'currency', 'interval']) {
    expect(await refusal({ [name]: undefined })).toEqual([400, 'Bad Request', name, `${name} is required.`])
  }
  for (const end_date of [from.start_date, '2026-01-02']) {
    const detail = "The 'end_date' must be after 'start_date'."
    expect(await refusal({ end_date })).toEqual([400, 'Bad Request', 'end_date', detail])
  }
  const wrong: readonly [name: string, value: string][] = [
    ['start_date', 'yesterday'],
    ['start_date', '2026-02-30'],
    ['end_date', '99999-01-01'],
    ['currency', 'DOLLAR'],
    ['currency', ''],
    ['interval', '1mo'],
    ['timezone', 'Mars/Olympus'],
    ['timezone', "UTC'; SELECT"],
    ['timezone', ''],
    ['filter', 'eq(product_ids,x)'],
    ['filter', 'contains(product_ids,x)'],
    ['filter', 'contains(status,x)'],
    ['filter', 'nonsense'],
  ]
  for (const [name, value] of wrong) {
    expect((await refusal({ [name]: value })).slice(0, 3), `${name}=${value}`).toEqual([
      400,
      'Bad Request',
      name,
    ])
  }
  expect((await refusal({ end_date: '2053-06-01' })).slice(0, 3)).toEqual([400, 'Bad Request', 'interval'])
  expect((await refusal({ end_date: '2053-05-01' }))[0]).toBe(200)
  expect((await get('summary', from, '&currency=EUR')).status).toBe(400)
  expect((await get('summary', { start_date: '0001-01-01', end_date: '9999-12-31' })).status).toBe(200)
})

test('only the merchant reads metrics', async () => {
  const search = new URLSearchParams({ currency: 'USD', ...from })
  expect((await world.shopper.get(`/v2/metrics/orders/summary?${search}`)).status).toBe(403)
  expect((await world.other.get(`/v2/metrics/orders/summary?${search}`)).body.data.count).toBe(0)
})
