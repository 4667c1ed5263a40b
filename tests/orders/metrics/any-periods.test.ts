import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mergeOrderSums } from '../../../server/orders/metrics/merge-order-sums.ts'
import { order, wrap } from '../../builders/orders/buying.ts'
import { addPastOrders, type PastOrder } from '../../builders/orders/past-orders.ts'
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
