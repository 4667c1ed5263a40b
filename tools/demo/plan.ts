import { dayMs } from './past-clock.ts'
import { Random } from './random.ts'

/** How much a shop has of everything. */
export interface ShopCounts {
  readonly products: number
  readonly customers: number
  readonly accounts: number
  readonly orders: number
  readonly carts: number
}

export const shopSizes = {
  s: { products: 26, customers: 30, accounts: 4, orders: 60, carts: 6 },
  m: { products: 120, customers: 400, accounts: 40, orders: 1500, carts: 25 },
  l: { products: 900, customers: 4000, accounts: 200, orders: 15_000, carts: 100 },
} as const satisfies Readonly<Record<string, ShopCounts>>

export type ShopSize = keyof typeof shopSizes

/** What a shop is made from: the same plan makes the same shop. */
export interface ShopPlan {
  readonly size: string
  readonly counts: ShopCounts
  readonly seed: string
  /** The past of the shop goes from `opens` to `ends`. */
  readonly opens: Date
  readonly ends: Date
}

/** Less than the year for which a store keeps its feed. */
const days = 360
/** Everything that has happened has happened when the server starts. */
const minutesBefore = 30

export function planFor(size: ShopSize, seed: string, now: Date): ShopPlan {
  const ends = new Date(now.getTime() - minutesBefore * 60_000)
  ends.setUTCSeconds(0, 0)
  const midnight = Math.floor(ends.getTime() / dayMs) * dayMs
  return { size, counts: shopSizes[size], seed, ends, opens: new Date(midnight - days * dayMs) }
}

/** The name that the ids of the shop are made from. */
export const nameOf = ({ size, seed }: ShopPlan): string => `demo shop ${size} ${seed}`

/** What one part of the shop draws from, whatever the others draw. */
export const randomOf = (plan: ShopPlan, part: string): Random => new Random(`${nameOf(plan)} ${part}`)

const byMonth = [0.8, 0.8, 0.9, 1, 1.1, 1, 0.8, 0.8, 1, 1.1, 1.5, 1.9] as const
const byWeekday = [0.8, 1.1, 1, 1, 1, 1.2, 0.9] as const
const byHour = [1, 0, 0, 0, 0, 1, 2, 4, 5, 6, 6, 6, 7, 6, 5, 5, 6, 7, 9, 11, 12, 10, 6, 3] as const
const payday = 25

/** Times of orders, in their order: with seasons, weekdays, paydays, and evenings, and more each month. */
export function orderTimes(plan: ShopPlan): readonly Date[] {
  const random = randomOf(plan, 'times of orders')
  const weights = Array.from({ length: days }, (_, day) => {
    const date = new Date(plan.opens.getTime() + day * dayMs)
    const isAfterPayday = date.getUTCDate() >= payday && date.getUTCDate() < payday + 4
    const season = (byMonth[date.getUTCMonth()] as number) * (byWeekday[date.getUTCDay()] as number)
    return season * (isAfterPayday ? 1.3 : 1) * (0.7 + (0.6 * day) / days)
  })
  return Array.from({ length: plan.counts.orders }, () => {
    const [day, hour] = [random.weighted(weights), random.weighted(byHour)]
    const ms = plan.opens.getTime() + day * dayMs + (hour + random.next()) * 3_600_000
    return new Date(Math.floor(ms / 1000) * 1000)
  }).sort((one, other) => one.getTime() - other.getTime())
}
