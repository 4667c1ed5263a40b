import { inParallel } from './in-parallel.ts'
import type { Merchant } from './merchant.ts'
import { headersOf, itemsOf, leftBehindMs, linesOf } from './orders.ts'
import type { PastClock } from './past-clock.ts'
import { makePerson } from './people.ts'
import { randomOf, type ShopPlan } from './plan.ts'
import { atOnce, type Sellable } from './products.ts'

/** Carts of the last days that nobody has ordered. */
export async function leaveCarts(
  merchant: Merchant,
  clock: PastClock,
  plan: ShopPlan,
  sellable: readonly Sellable[],
  onCart: () => void,
): Promise<void> {
  const random = randomOf(plan, 'carts left behind')
  const planned = Array.from({ length: plan.counts.carts }, (_, i) => {
    const at = new Date(Math.round(plan.ends.getTime() - random.next() * leftBehindMs))
    return { at, buyer: makePerson(random, at, `c${i}`), lines: linesOf(random, sellable, false) }
  })
  await inParallel(planned, atOnce, ({ at, buyer, lines }, i) =>
    clock.at(at, async () => {
      const id = merchant.idOf(`cart left behind ${i}`)
      const existing = await merchant.get(`/v2/carts/${id}/items`)
      onCart()
      if (existing.length > 0) return
      await merchant.do('POST', '/v2/carts', {
        id,
        name: `Cart of ${buyer.name}`,
        contact: { email: buyer.email },
      })
      await merchant.do(
        'POST',
        `/v2/carts/${id}/items`,
        itemsOf(lines),
        headersOf({ buyer, isOfTrade: false }),
      )
    }),
  )
}
