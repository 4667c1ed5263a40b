import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mergeOrderSums } from '../../../server/orders/metrics/merge-order-sums.ts'
import { order, wrap } from '../../builders/orders/buying.ts'
import { addPastOrders, type PastOrder } from '../../builders/orders/past-orders.ts'
import { newAccount } from '../../builders/telling/hooks.ts'
import { tries } from '../../support/long.ts'
import type { Any } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let orders: readonly PastOrder[]
beforeAll(async () => {
  world = await openWorld()
  const { id } = await order(world.admin, wrap())
  orders = fc.sample(pastOrder, 400)
  // Some are merged, and some are not.
  await addPastOrders(world, id, orders.slice(0, 300))
  await mergeOrderSums.run(world.server.instance)
  await addPastOrders(world, id, orders.slice(300))
})
afterAll(() => world.close())

// The clocks are put forward on 29 March and back on 25 October in London, and never in Kathmandu, which is at +05:45.
const firstMs = Date.parse('2026-03-27T00:00:00Z')
const zones = ['UTC', 'Europe/London', 'Asia/Kathmandu', 'America/New_York']
const instant = fc.oneof(
  fc.integer({ min: 0, max: 4 * 86_400_000 }),
  fc.integer({ min: 0, max: 4 * 96 }).map((quarters) => quarters * 900_000),
)
const toTime = (ms: number) => new Date(firstMs + ms).toISOString()

const pastOrder = fc.record({
  createdAt: instant.map(toTime),
  value: fc.nat(10_000),
  discount: fc.nat(100),
  currency: fc.constantFrom('USD', 'USD', 'EUR'),
  status: fc.constantFrom('incomplete', 'complete', 'cancelled'),
})

const request = fc
  .record({
    times: fc.tuple(instant, instant).filter(([one, other]) => one !== other),
    interval: fc.constantFrom('1hr', '1d', '1wk'),
    timezone: fc.constantFrom(...zones),
    currency: fc.constantFrom('USD', 'EUR', 'CHF'),
  })
  .map(({ times, ...rest }) => {
    const [from, to] = times.toSorted((one, other) => one - other) as [number, number]
    return { start_date: toTime(from), end_date: toTime(to), ...rest }
  })

const clocks = new Map(
  zones.map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat('en-CA', {
      ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit' },
      ...{ minute: '2-digit', second: '2-digit' },
    }),
  ]),
)

/** The wall clock of a zone, which buckets of days and weeks go by. */
function localOf(at: string, timeZone: string) {
  const parts = clocks.get(timeZone)?.formatToParts(new Date(at))
  const part = (name: string) => parts?.find(({ type }) => type === name)?.value
  return {
    day: `${part('year')}-${part('month')}-${part('day')}`,
    minute: Number(part('minute')),
    second: Number(part('second')),
  }
}

/** The bucket of an instant by its own name: an hour by its beginning, a day and a week by a day of the zone. */
function bucketOf(at: string, { interval, timezone }: { interval: string; timezone: string }): string {
  const { day, minute, second } = localOf(at, timezone)
  if (interval === '1hr') {
    const ms = Date.parse(at)
    return new Date(ms - (minute * 60 + second) * 1000 - (ms % 1000)).toISOString()
  }
  if (interval === '1d') return day
  const midnight = new Date(`${day}T00:00:00Z`)
  return new Date(midnight.getTime() - ((midnight.getUTCDay() + 6) % 7) * 86_400_000)
    .toISOString()
    .slice(0, 10)
}

const measures = {
  count: () => 1,
  value: ({ value }: PastOrder) => value,
  discount: ({ discount = 0 }: PastOrder) => discount,
}
type Measure = keyof typeof measures

const read = async (name: string, query: Readonly<Record<string, string>>) =>
  (await world.admin.get(`/v2/metrics/orders/${name}?${new URLSearchParams(query)}`)).body.data

test('any period has the sums of its orders, in each bucket of any zone', async () => {
  const name = fc.constantFrom<Measure>('count', 'value', 'discount')
  await fc.assert(
    fc.asyncProperty(request, name, async (asked, name) => {
      const { interval, timezone, ...selection } = asked
      const among = orders.filter(
        ({ status, currency, createdAt }) =>
          status !== 'cancelled' &&
          currency === selection.currency &&
          createdAt >= selection.start_date &&
          createdAt < selection.end_date,
      )
      const total = (some: readonly PastOrder[], of: (one: PastOrder) => number) =>
        some.reduce((sum, one) => sum + of(one), 0)
      expect(Object.values(await read('summary', selection))).toEqual(
        Object.values(measures).map((of) => total(among, of)),
      )
      const buckets = ((await read(`timeseries/${name}`, asked)) as Any[]).map((bucket): [string, number] => [
        bucketOf(bucket.start_date, asked),
        bucket[name],
      ])
      expect(new Set(buckets.map(([bucket]) => bucket)).size, 'different buckets').toBe(buckets.length)
      const last = new Date(Date.parse(selection.end_date) - 1).toISOString()
      expect([buckets[0]?.[0], buckets.at(-1)?.[0]]).toEqual([
        bucketOf(selection.start_date, asked),
        bucketOf(last, asked),
      ])
      const byBucket = Map.groupBy(among, ({ createdAt }) => bucketOf(createdAt, asked))
      expect(buckets).toEqual(
        buckets.map(([bucket]) => [bucket, total(byBucket.get(bucket) ?? [], measures[name])]),
      )
    }),
    { numRuns: tries(25, 500) },
  )
})

test('any period has the people who came in it, in each bucket of any zone, also after some have gone', async () => {
  const id = await newAccount(world.admin, 'The first')
  const came = fc.sample(instant.map(toTime), 300)
  await world.sql(
    `INSERT INTO accounts (store_id, id, version, created_at, updated_at, doc, hidden)
     SELECT a.store_id, gen_random_uuid(), 0, n.at, n.at, a.doc, a.hidden
     FROM accounts a, unnest($3::timestamptz[]) n (at) WHERE a.store_id = $1 AND a.id = $2`,
    [world.storeId, id, came],
  )
  const gone = await world.sql(
    `DELETE FROM accounts WHERE store_id = $1 AND id <> $2 AND extract(minute FROM created_at) < 20 RETURNING created_at`,
    [world.storeId, id],
  )
  expect(gone.rowCount).toBeGreaterThan(0)
  const left = came.filter((at) => new Date(at).getUTCMinutes() >= 20)
  await fc.assert(
    fc.asyncProperty(request, async ({ currency: _, ...asked }) => {
      const { body } = await world.admin.get(
        `/v2/metrics/accounts/timeseries/count?${new URLSearchParams(asked)}`,
      )
      const among = left.filter((at) => at >= asked.start_date && at < asked.end_date)
      const byBucket = Map.groupBy(among, (at) => bucketOf(at, asked))
      const buckets = (body.data as Any[]).map((one) => [bucketOf(one.start_date, asked), one.count])
      expect(buckets).toEqual(buckets.map(([bucket]) => [bucket, byBucket.get(bucket)?.length ?? 0]))
      expect(buckets.reduce((sum, [, count]) => sum + count, 0)).toBe(among.length)
    }),
    { numRuns: tries(25, 300) },
  )
})

test('days of people begin in the time zone of the store', async () => {
  await world.admin.put('/v2/settings', { data: { type: 'settings', time_zone: 'Asia/Kathmandu' } })
  const query = 'start_date=2026-03-01T12:00:00Z&end_date=2026-03-03T12:00:00Z&interval=1d'
  const starts = async (more = '') =>
    (await world.admin.get(`/v2/metrics/customers/timeseries/count?${query}${more}`)).body.data.map(
      (one: Any) => one.start_date,
    )
  expect((await starts())[0]).toBe('2026-02-28T18:15:00.000Z')
  expect((await starts('&timezone=UTC'))[0]).toBe('2026-03-01T00:00:00.000Z')
})
