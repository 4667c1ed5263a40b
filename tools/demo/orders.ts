import { tradeChannel } from './catalogs.ts'
import type { Merchant } from './merchant.ts'
import { dayMs, daysLater, later, type PastClock } from './past-clock.ts'
import { type AccountOfTrade, type DemoBuyer, type DemoCustomer, makePerson } from './people.ts'
import { orderTimes, randomOf, type ShopPlan } from './plan.ts'
import type { Sellable } from './products.ts'
import { codes } from './promotions.ts'
import type { Random } from './random.ts'

/** What becomes of an order in the end. */
type Fate = 'shipped' | 'refunded' | 'partly refunded' | 'cancelled' | 'unpaid' | 'authorized'

const fates: readonly (readonly [Fate, weight: number])[] = [
  ['shipped', 86],
  ['refunded', 4],
  ['partly refunded', 3],
  ['cancelled', 4],
  ['unpaid', 2],
  ['authorized', 1],
]

interface PlannedLine {
  readonly item: Sellable
  readonly quantity: number
}

interface PlannedOrder {
  readonly number: number
  readonly at: Date
  readonly buyer: DemoBuyer
  /** How the checkout names the buyer. */
  readonly checkout: object
  readonly lines: readonly PlannedLine[]
  readonly code: string | undefined
  readonly isOfTrade: boolean
  readonly fate: Fate
  /** A card was declined before. */
  readonly isDeclined: boolean
  readonly hoursToPay: number
  readonly daysToShip: number
}

interface Buyers {
  readonly customers: readonly DemoCustomer[]
  readonly accounts: readonly AccountOfTrade[]
  readonly sellable: readonly Sellable[]
}

const firstNumber = 10_001

/** The orders of the year, in their order. */
export function plannedOrders(plan: ShopPlan, buyers: Buyers): readonly PlannedOrder[] {
  const random = randomOf(plan, 'orders')
  return orderTimes(plan).map((at, i) => {
    const number = firstNumber + i
    const whose = whoBuys(random, at, number, buyers)
    const lines = linesOf(random, buyers.sellable, whose.isOfTrade)
    const code = whose.isOfTrade || random.chance(0.8) ? undefined : random.pick(Object.values(codes))
    const [fate] = fates[random.weighted(fates.map(([, weight]) => weight))] as (typeof fates)[number]
    return {
      ...{ number, at, ...whose, lines, code, fate },
      isDeclined: i % 40 === 20,
      hoursToPay: random.chance(0.85) ? 0.05 : random.integer(1, 40),
      daysToShip: 0.5 + 2.5 * random.next(),
    }
  })
}

function whoBuys(random: Random, at: Date, number: number, { customers, accounts }: Buyers) {
  const kind = random.weighted([60, 25, 15])
  // Some buy often: the first of a list more than the last.
  const oneOf = <T extends DemoBuyer>(some: readonly T[]): T | undefined => {
    const one = some[Math.floor(random.next() ** 2 * some.length)]
    return one && one.since < at ? one : undefined
  }
  const customer = kind === 0 ? oneOf(customers) : undefined
  if (customer) return { buyer: customer, checkout: { customer: { id: customer.id } }, isOfTrade: false }
  const account = kind === 2 ? oneOf(accounts) : undefined
  if (account) {
    const { id, memberId, name, email } = account
    const checkout = { account: { id, member_id: memberId }, contact: { name, email } }
    return { buyer: account, checkout, isOfTrade: true }
  }
  const guest = makePerson(random, at, `g${number}`)
  return { buyer: guest, checkout: { customer: { name: guest.name, email: guest.email } }, isOfTrade: false }
}

export function linesOf(random: Random, sellable: readonly Sellable[], isOfTrade: boolean) {
  const count = 1 + random.weighted([50, 25, 15, 7, 3])
  const chosen = new Map<string, PlannedLine>()
  for (let i = 0; i < count; i++) {
    const item = sellable[Math.floor(random.next() ** 1.5 * sellable.length)] as Sellable
    const quantity = isOfTrade ? random.integer(2, 15) : 1 + random.weighted([80, 15, 5])
    chosen.set(item.id, { item, quantity })
  }
  return [...chosen.values()]
}

export const headersOf = ({ buyer, isOfTrade }: Pick<PlannedOrder, 'buyer' | 'isOfTrade'>) => ({
  'x-moltin-currency': buyer.currency,
  ...(isOfTrade && { 'ep-channel': tradeChannel }),
})

export const itemsOf = (lines: readonly PlannedLine[]) =>
  lines.map(({ item, quantity }) => ({ type: 'cart_item', id: item.id, quantity }))

const delivery = {
  ...{ type: 'custom_item', name: 'Delivery', sku: 'delivery', quantity: 1 },
  price: { amount: 490, includes_tax: true },
}

/** Places an order and does with it what happened until the end of the plan. All of it, once it is begun. */
export async function placeOrder(
  merchant: Merchant,
  clock: PastClock,
  ends: Date,
  planned: PlannedOrder,
): Promise<void> {
  const { number, at, buyer, lines, code, isOfTrade } = planned
  const cart = `/v2/carts/${merchant.idOf(`cart of ${number}`)}`
  const order = await clock.at(later(at, -5), async () => {
    const items = [
      ...itemsOf(lines),
      ...(isOfTrade ? [] : [delivery]),
      ...(code ? [{ type: 'promotion_item', code }] : []),
    ]
    await merchant.do('POST', `${cart}/items`, items, headersOf(planned))
    return clock.at(at, async () => {
      const body = { ...planned.checkout, billing_address: buyer.address, order_number: String(number) }
      const placed = await merchant.do('POST', `${cart}/checkout`, body)
      await merchant.do('DELETE', cart)
      return placed
    })
  })
  await settle(
    merchant,
    clock,
    ends,
    planned,
    `/v2/orders/${order.id}`,
    order.meta.display_price.with_tax.amount,
  )
}

const byCard = { gateway: 'stripe', method: 'purchase', payment: 'pm_card_of_the_demo' }
const byHand = { gateway: 'manual', paymentmethod_meta: { name: 'Bank transfer' } }

/** What happens to an order after its checkout, as far as it has happened. */
async function settle(
  merchant: Merchant,
  clock: PastClock,
  ends: Date,
  { at, fate, isDeclined, hoursToPay, daysToShip }: PlannedOrder,
  path: string,
  total: number,
): Promise<void> {
  const paidAt = later(at, hoursToPay * 60)
  const shippedAt = daysLater(paidAt, daysToShip)
  const returnedAt = daysLater(shippedAt, 9)
  /** Does something at its time, unless that is still to come. */
  const then = async <T>(time: Date, work: () => Promise<T>) =>
    time < ends ? clock.at(time, work) : undefined
  const update = (values: object) => merchant.do('PUT', path, { type: 'order', ...values })
  if (isDeclined && total > 0)
    await then(later(at, 1), () => merchant.refused('POST', `${path}/payments`, byCard))
  if (fate === 'unpaid' || total === 0) return
  if (fate === 'cancelled') {
    await then(shippedAt, () => update({ status: 'cancelled' }))
    return
  }
  const method = fate === 'authorized' || hoursToPay > 1 ? 'authorize' : 'purchase'
  const payment = await then(later(at, 2), () =>
    merchant.do('POST', `${path}/payments`, { ...byHand, method }),
  )
  if (!payment || fate === 'authorized') return
  const transaction = `${path}/transactions/${payment.id}`
  if (method === 'authorize') {
    const captured = await then(paidAt, () => merchant.do('POST', `${transaction}/capture`))
    if (!captured) return
  }
  const shipped = await then(shippedAt, () => update({ shipping: 'fulfilled' }))
  if (!shipped || fate === 'shipped') return
  const amount = fate === 'refunded' ? total : Math.max(1, Math.floor(total / 3))
  await then(returnedAt, () => merchant.do('POST', `${transaction}/refund`, { amount }))
}

/** The numbers of the orders that an earlier run has placed. */
export async function placedNumbers(merchant: Merchant): Promise<ReadonlySet<string>> {
  const numbers = new Set<string>()
  for (let offset = 0; ; offset += 100) {
    const orders = await merchant.get(`/v2/orders?page[limit]=100&page[offset]=${offset}`)
    for (const { order_number: number } of orders) if (number) numbers.add(number)
    if (orders.length < 100) return numbers
  }
}

/** When the carts were left that nobody has ordered: they have not expired yet. */
export const leftBehindMs = 6 * dayMs
