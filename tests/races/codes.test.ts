import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { filledCart, guestBody, wrap } from '../builders/orders/buying.ts'
import { addCodes, idIn, makePromotion } from '../builders/promotions/codes.ts'
import type { Reply } from '../support/client.ts'
import type { Any } from '../support/requests.ts'
import { type Arena, lockOf, type Side } from './arena.ts'
import { race, statusesOf, useArena, writesTo } from './race.ts'

useArena()

interface CodeInCarts {
  readonly code: string
  readonly promotion: string
  /** Two carts in which the code is entered: a tenth off 1000. */
  readonly carts: readonly string[]
}

async function codeInCarts({ world }: Arena, options: object): Promise<CodeInCarts> {
  const promotion = await makePromotion(world.admin, 'rule-promotions')
  const code = randomUUID()
  await addCodes(world.admin, promotion, { code, ...options })
  const carts = [await filledCart(world.shopper, wrap()), await filledCart(world.shopper, wrap())]
  for (const cart of carts) {
    await world.shopper.put(cart, { data: { contact: { email: 'ada@example.com' } } })
    const { status } = await world.shopper.post(`${cart}/items`, { data: { type: 'promotion_item', code } })
    expect(status).toBe(201)
  }
  return { code, promotion, carts }
}

const order = (cart: string | undefined, { shopper }: Side) => shopper.post(`${cart}/checkout`, guestBody())

const totalOf = ({ body }: Reply): number => body.data.meta.display_price.with_tax.amount

/** What the orders cost, how many usages there are, and what the code counts. */
async function outcomeOf({ world }: Arena, { promotion, code }: CodeInCarts, replies: readonly Reply[]) {
  const totals = replies.filter(({ status }) => status === 201).map(totalOf)
  const [used] = (
    await world.sql('SELECT used FROM rule_promotion_codes WHERE promotion_id = $1 AND code = $2', [
      idIn(promotion),
      code,
    ])
  ).rows
  const usages = (
    await world.sql('SELECT count(*)::int AS n FROM rule_promotion_usages WHERE promotion_id = $1', [
      idIn(promotion),
    ])
  ).rows
  await world.admin.delete(promotion)
  return { totals: totals.sort(), used: used && Number(used.used), usages: usages[0]?.n as number }
}

race('two orders do not spend the last use of a code', {
  given: (arena) => codeInCarts(arena, { uses: 1 }),
  hold: writesTo('rule_promotion_codes'),
  one: ({ carts }, side) => order(carts[0], side),
  other: ({ carts }, side) => order(carts[1], side),
  async check(given, replies, arena) {
    expect(statusesOf(replies)).toEqual([201, 201])
    const outcome = await outcomeOf(arena, given, replies)
    expect(outcome).toEqual({ totals: [1000, 900], used: 1, usages: 1 })
  },
})

race('a shopper does not use a code twice that is for one order of each', {
  given: (arena) => codeInCarts(arena, { max_uses_per_shopper: { max_uses: 1, includes_guests: true } }),
  hold: writesTo('rule_promotion_usages'),
  one: ({ carts }, side) => order(carts[0], side),
  other: ({ carts }, side) => order(carts[1], side),
  async check(given, replies, arena) {
    expect(statusesOf(replies)).toEqual([201, 201])
    const outcome = await outcomeOf(arena, given, replies)
    expect(outcome).toMatchObject({ totals: [1000, 900], usages: 1 })
  },
})

race('a code that is deleted before it is spent discounts nothing', {
  given: (arena) => codeInCarts(arena, {}),
  hold: ({ promotion }, { world }) => lockOf(world, 'rule_promotions', `id = '${idIn(promotion)}'`),
  one: ({ carts }, side) => order(carts[0], side),
  other: ({ promotion, code }, { seller }) => seller.delete(`${promotion}/codes/${code}`),
  async check(given, [placed, removal], arena, isHeld) {
    expect([placed.status, removal.status]).toEqual([201, 204])
    const { totals, usages } = await outcomeOf(arena, given, [placed])
    if (isHeld) expect(totals).toEqual([1000])
    expect([totals, usages]).toEqual(totals[0] === 900 ? [[900], 1] : [[1000], 0])
  },
})

race('a promotion is deleted before an order that spends its code, or after it', {
  given: (arena) => codeInCarts(arena, {}),
  hold: writesTo('rule_promotion_usages'),
  one: ({ carts }, side) => order(carts[0], side),
  other: ({ promotion }, { seller }) => seller.delete(promotion),
  async check(_, [placed, removal]) {
    expect([placed.status, removal.status]).toEqual([201, 204])
    expect([900, 1000]).toContain(totalOf(placed))
  },
})

race('an order that is placed twice uses its code once', {
  given: (arena) => codeInCarts(arena, { uses: 5 }),
  hold: writesTo('rule_promotion_codes'),
  one: ({ carts }, side) => order(carts[0], side),
  other: ({ carts }, side) => order(carts[0], side),
  async check(given, replies, arena) {
    expect(statusesOf(replies)).toEqual([201, 201])
    expect(replies[0].body.data.id).toBe(replies[1].body.data.id)
    expect(await outcomeOf(arena, given, replies)).toEqual({ totals: [900, 900], used: 1, usages: 1 })
  },
})

race('a dry run of a checkout takes no use from an order', {
  given: (arena) => codeInCarts(arena, { uses: 1 }),
  hold: writesTo('rule_promotion_codes'),
  one: ({ carts }, side) => order(carts[0], side),
  other: ({ carts }, { shopper }) => shopper.post(`${carts[1]}/checkout`, guestBody(), { prefer: 'dry-run' }),
  async check(given, [placed, dry], arena) {
    expect([placed.status, dry.status, totalOf(placed)]).toEqual([201, 201, 900])
    expect(await outcomeOf(arena, given, [placed])).toEqual({ totals: [900], used: 1, usages: 1 })
    expect((await arena.world.admin.get(`/v2/orders/${dry.body.data.id}`)).status).toBe(404)
  },
})

race('a code belongs to one promotion', {
  async given({ world }) {
    const one = await makePromotion(world.admin, 'promotions')
    return { code: randomUUID(), one, other: await makePromotion(world.admin, 'promotions') }
  },
  hold: writesTo('standard_promotion_codes'),
  one: ({ one, code }, { seller }) => addCodes(seller, one, { code }),
  other: ({ other, code }, { seller }) => addCodes(seller, other, { code }),
  async check({ one, other, code }, replies, { world }) {
    const { rows } = await world.sql('SELECT FROM standard_promotion_codes WHERE code = $1', [code])
    for (const promotion of [one, other]) await world.admin.delete(promotion)
    expect([statusesOf(replies)[0], rows.length]).toEqual([201, 1])
    expect(statusesOf(replies)[1]).toBeGreaterThanOrEqual(400)
  },
})

race('a promotion has a code once', {
  given: async ({ world }) => ({
    promotion: await makePromotion(world.admin, 'rule-promotions'),
    code: randomUUID(),
  }),
  hold: writesTo('rule_promotion_codes'),
  one: ({ promotion, code }, { seller }) => addCodes(seller, promotion, { code }),
  other: ({ promotion, code }, { seller }) => addCodes(seller, promotion, { code: code.toUpperCase() }),
  async check({ promotion }, replies, { world }) {
    const { data } = (await world.admin.get(`${promotion}/codes`)).body
    await world.admin.delete(promotion)
    expect([statusesOf(replies)[0], (data as Any[]).length]).toEqual([201, 1])
    expect(statusesOf(replies)[1]).toBeGreaterThanOrEqual(400)
  },
})
