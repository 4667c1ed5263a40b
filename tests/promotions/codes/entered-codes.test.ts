import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  codesStateSql,
  type DiscountShopper,
  findEnteredCodes,
  isNewShopper,
  recordPayingShopper,
} from '../../../server/promotions/index.ts'
import {
  addCodes,
  idIn,
  kinds,
  makeCode,
  makePromotion,
  newCode,
  spend,
  units,
} from '../../builders/promotions/codes.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const customer = (): DiscountShopper => ({ customerId: randomUUID(), email: `${randomUUID()}@example.com` })

/** The state of codes for a shopper, as a statement about carts reads it. */
async function stateOf(codes: readonly string[], { customerId, accountId, email }: DiscountShopper = {}) {
  const shopper = { customerId: '$3::text', accountId: '$4::text', email: '$5::text' }
  const text = `SELECT ${codesStateSql('$2::jsonb', shopper)}` as const
  const list = JSON.stringify(codes.map((code) => code.toLowerCase()))
  const values = [customerId ?? null, accountId ?? null, email ?? null]
  const [row] = await world.work.store.read(text, list, ...values)
  return row?.[0]
}

describe.each(kinds)('a code of %s', (kind) => {
  const [perOrder, perThing] = units[kind]

  test('is found in capitals and in small letters', async () => {
    const { code, promotionId } = await makeCode(world.admin, kind)
    const found = { code, promotionId, consumes: 'checkout' }
    for (const text of [code, code.toUpperCase(), code.toLowerCase()]) {
      expect(await findEnteredCodes(world.work, [text], {})).toEqual([found])
    }
    expect(await findEnteredCodes(world.work, [newCode()], {})).toEqual([])
    expect(await findEnteredCodes(world.work, [], {})).toEqual([])
  })

  test('says whom it is for and how often it can still be used', async () => {
    const of = async (more: object) => {
      const { code, promotionId } = await makeCode(world.admin, kind, more)
      const [one] = await findEnteredCodes(world.work, [code], customer())
      expect(one).toMatchObject({ code, promotionId })
      const { code: _, promotionId: __, ...rest } = one ?? {}
      return rest
    }
    expect(await of({ uses: 3, user: 'ann@example.com' })).toEqual({
      consumes: 'checkout',
      usesLeft: 3,
      users: ['ann@example.com'],
    })
    const shoppers = [randomUUID(), randomUUID()]
    expect(await of({ consume_unit: perThing, user: shoppers })).toEqual({
      consumes: 'application',
      users: shoppers,
    })
    expect(await of({ uses: 0 })).toEqual({ consumes: 'checkout', usesLeft: 0 })
  })

  test('is found in the order in which the shopper entered it', async () => {
    const [one, other] = [await makeCode(world.admin, kind), await makeCode(world.admin, kind)]
    const texts = [other.code, newCode(), one.code]
    const found = await findEnteredCodes(world.work, texts, {})
    expect(found.map(({ code }) => code)).toEqual([other.code, one.code])
  })

  test('is not found in another store', async () => {
    const { code } = await makeCode(world.other, kind)
    expect(await findEnteredCodes(world.work, [code], {})).toEqual([])
  })

  test('changes its state when it is created, when it is deleted, and when no use is left', async () => {
    const promotion = await makePromotion(world.admin, kind)
    const code = newCode()
    const states = [await stateOf([code])]
    await addCodes(world.admin, promotion, { code, uses: 2, consume_unit: perOrder })
    states.push(await stateOf([code]))
    const use = { promotionId: idIn(promotion), code, uses: 1 }
    await spend(world, [use])
    // One use is left: no cart is priced anew.
    expect(await stateOf([code])).toBe(states[1])
    await spend(world, [use])
    states.push(await stateOf([code]))
    await world.admin.delete(`${promotion}/codes/${code}`)
    expect(await stateOf([code])).toBe(states[0])
    await addCodes(world.admin, promotion, { code, uses: 2 })
    states.push(await stateOf([code]))
    expect(new Set(states).size).toBe(4)
  })

  test('changes its state when a shopper becomes one of those it is for, or is no longer', async () => {
    const ann = customer()
    const { code } = await makeCode(world.admin, kind, { user: [randomUUID(), ann.email] })
    const state = await stateOf([code], ann)
    expect(await stateOf([code], { ...ann, email: 'new@example.com' })).not.toBe(state)
    expect(await stateOf([code], { ...ann, email: ann.email?.toUpperCase() })).toBe(state)
    expect(state).not.toContain(ann.email)
    const byId = await makeCode(world.admin, kind, { user: ann.customerId })
    const named = await stateOf([byId.code], ann)
    expect(await stateOf([byId.code], { ...ann, email: 'new@example.com' })).toBe(named)
    expect(await stateOf([byId.code], { email: ann.email })).not.toBe(named)
  })

  test('changes its state with every use where each use discounts one thing', async () => {
    const use = await makeCode(world.admin, kind, { uses: 5, consume_unit: perThing })
    const before = await stateOf([use.code])
    await spend(world, [use])
    const after = await stateOf([use.code])
    expect(after).not.toBe(before)
    await spend(world, [{ ...use, uses: 2 }])
    expect(await stateOf([use.code])).not.toBe(after)
  })
})

test('a code of both kinds of promotions is found for each of them, and changes with each', async () => {
  const code = newCode()
  const ids = await Promise.all(
    kinds.map(async (kind) => {
      const promotion = await makePromotion(world.admin, kind)
      await addCodes(world.admin, promotion, { code, uses: 1 })
      return idIn(promotion)
    }),
  )
  const found = await findEnteredCodes(world.work, [code], {})
  expect(found.map(({ promotionId }) => promotionId)).toEqual(ids)
  const before = await stateOf([code])
  await spend(world, [{ promotionId: ids[1] as string, code, uses: 1 }])
  expect(await stateOf([code])).not.toBe(before)
})

test('a code with a limit for each shopper counts the uses of customers, accounts and guests by themselves', async () => {
  const limit = { max_uses: 1, includes_guests: true }
  const use = await makeCode(world.admin, 'rule-promotions', { max_uses_per_shopper: limit })
  const [ann, ben] = [customer(), customer()]
  const account = { accountId: randomUUID(), email: ann.email }
  const guest = { email: `Guest-${randomUUID()}@Example.com` }
  const left = async (shopper: DiscountShopper) => {
    const [one] = await findEnteredCodes(world.work, [use.code], shopper)
    return one?.perShopper
  }
  const [one, none] = [1, 0].map((usesLeft) => ({ usesLeft, includesGuests: true }))
  const shoppers = [ann, ben, account, guest]
  for (const shopper of shoppers) expect(await left(shopper)).toEqual(one)
  const states = await Promise.all(shoppers.map((shopper) => stateOf([use.code], shopper)))
  for (const [i, shopper] of shoppers.entries()) {
    expect(await spend(world, [use], shopper)).toEqual([])
    expect(await left(shopper)).toEqual(none)
    expect(await stateOf([use.code], shopper)).not.toBe(states[i])
    // The others keep their prices.
    for (const [j, next] of shoppers.entries()) {
      if (j > i) expect(await stateOf([use.code], next)).toBe(states[j])
    }
  }
  expect(await left({ email: guest.email.toLowerCase() })).toEqual(none)
})

test('a code for new shoppers says so', async () => {
  const { code } = await makeCode(world.admin, 'rule-promotions', { is_for_new_shopper: true })
  expect(await findEnteredCodes(world.work, [code], {})).toMatchObject([{ isForNewShopper: true }])
})

test('a shopper is known by each of their names, and only codes for new shoppers change with it', async () => {
  const { code } = await makeCode(world.admin, 'rule-promotions', { is_for_new_shopper: true })
  const { code: other } = await makeCode(world.admin, 'rule-promotions')
  const shopper = { customerId: randomUUID(), accountId: randomUUID(), email: `${randomUUID()}@Example.com` }
  const { customerId, accountId, email } = shopper
  const names = [{ customerId }, { accountId }, { email }, { email: email.toLowerCase() }, shopper]
  const stranger = customer()
  const seen = () =>
    Promise.all(
      [...names, stranger].map(async (one) => [
        await isNewShopper(world.work, one),
        await stateOf([code], one),
        await stateOf([other], one),
      ]),
    )
  const before = await seen()
  await world.work.transaction((work) => recordPayingShopper(work, randomUUID(), shopper))
  const after = await seen()
  expect(before.map(([isNew]) => isNew)).toEqual([true, true, true, true, true, true])
  expect(after.map(([isNew]) => isNew)).toEqual([false, false, false, false, false, true])
  const changes = after.map(([, state, stateOfOther], i) => [
    state !== before[i]?.[1],
    stateOfOther !== before[i]?.[2],
  ])
  expect(changes).toEqual([...names.map(() => [true, false]), [false, false]])
  expect(await isNewShopper(world.work, {})).toBe(undefined)
})
