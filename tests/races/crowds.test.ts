import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { filledCart, guestBody, order, wrap } from '../builders/orders/buying.ts'
import { moneyOf, pay } from '../builders/payments/paying.ts'
import { addCodes, idIn, makePromotion } from '../builders/promotions/codes.ts'
import type { Reply } from '../support/client.ts'
import { isLong, tries } from '../support/long.ts'
import { type Arena, openArena } from './arena.ts'
import { pauseOf } from './race.ts'
import { inStock, mug, stockOf } from './stock.ts'

/** Many shoppers at once, at two servers. */
const crowd = tries(24, 1000)
/** Few shoppers, whose pauses come from the round. */
const rounds = tries(1, 1000)
const fewShoppers = 3

/** Asks for each of the shoppers, a few at a time: only what races comes at once. */
async function each<T>(count: number, ask: () => Promise<T>): Promise<readonly T[]> {
  const done: T[] = []
  while (done.length < count) {
    done.push(...(await Promise.all(Array.from({ length: Math.min(8, count - done.length) }, ask))))
  }
  return done
}

/** Sends one request for each shopper, in turn to the two servers; again if a server has no connection for it. */
const atOnce = <T>(
  { sides }: Arena,
  all: readonly T[],
  send: (one: T, side: Arena['sides'][number]) => Promise<Reply>,
  pauses = false,
): Promise<readonly Reply[]> =>
  Promise.all(
    all.map(async (one, i) => {
      if (pauses) await pauseOf(i)
      for (;;) {
        const reply = await send(one, sides[i % 2 ? 1 : 0])
        if (reply.status !== 503) return reply
        await pauseOf(i)
      }
    }),
  )

async function sellLastUnit(arena: Arena, shoppers: number, pauses: boolean): Promise<void> {
  const { admin, shopper } = arena.world
  await inStock(arena, 'MUG', 1)
  const orders = await each(shoppers, async () => (await order(shopper, mug())).id as string)
  const replies = await atOnce(arena, orders, (id, side) => pay(side.shopper, id), pauses)
  const winners = orders.filter((_, i) => replies[i]?.status === 200)
  expect([winners.length, new Set(replies.map(({ status }) => status))]).toEqual([1, new Set([200, 400])])
  expect(await stockOf(arena, 'MUG')).toEqual([0, 1])
  expect((await moneyOf(admin, winners[0] as string))[0]).toBe('paid')
  const { rows } = await arena.world.sql(
    `SELECT count(*)::int AS paid FROM orders WHERE id = ANY($1::uuid[]) AND payment <> 'unpaid'`,
    [orders],
  )
  expect(rows).toEqual([{ paid: 1 }])
}

async function spendLastUse(arena: Arena, shoppers: number, pauses: boolean): Promise<void> {
  const { admin, shopper } = arena.world
  const promotion = await makePromotion(admin, 'rule-promotions')
  const code = randomUUID()
  await addCodes(admin, promotion, { code, uses: 1 })
  const carts = await each(shoppers, async () => {
    const cart = await filledCart(shopper, wrap(), { type: 'promotion_item', code })
    return cart
  })
  const replies = await atOnce(
    arena,
    carts,
    (cart, side) => side.shopper.post(`${cart}/checkout`, guestBody()),
    pauses,
  )
  const totals = replies.map(({ body }) => body.data?.meta.display_price.with_tax.amount)
  expect(replies.map(({ status }) => status)).toEqual(carts.map(() => 201))
  expect(totals.filter((total) => total === 900)).toHaveLength(1)
  expect(totals.filter((total) => total === 1000)).toHaveLength(shoppers - 1)
  const { rows } = await arena.world.sql(
    `SELECT (SELECT sum(used)::int FROM rule_promotion_codes WHERE promotion_id = $1) AS used,
       (SELECT count(*)::int FROM rule_promotion_usages WHERE promotion_id = $1) AS usages`,
    [idIn(promotion)],
  )
  expect(rows).toEqual([{ used: 1, usages: 1 }])
  await admin.delete(promotion)
}

const timeoutMs = isLong ? 3_600_000 : 60_000

test(
  'of many shoppers, one gets the last unit',
  async () => sellLastUnit(await openArena(), crowd, false),
  timeoutMs,
)

test(
  'of many shoppers, one gets the last use of a code',
  async () => spendLastUse(await openArena(), crowd, false),
  timeoutMs,
)

test(
  'in each of many rounds, one of a few shoppers gets the last unit, and one the last use of a code',
  async () => {
    const arena = await openArena()
    for (let round = 0; round < rounds; round++) {
      await sellLastUnit(arena, fewShoppers, true)
      await spendLastUse(arena, fewShoppers, true)
    }
  },
  timeoutMs,
)
