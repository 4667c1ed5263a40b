import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CodeUse } from '../../../server/promotions/discounts/evaluate.ts'
import { spendCodes } from '../../../server/promotions/index.ts'
import { kinds, makeCode, spend, units } from '../../builders/promotions/codes.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

interface Code extends CodeUse {
  readonly promotion: string
}

const codeOf = async ({ promotion, code }: Code) =>
  (await world.admin.get(`${promotion}/codes/${code}`)).body.data

const usagesOf = async ({ promotion, code }: Code) =>
  (await world.admin.get(`${promotion}/codes/${code}/usages?page[limit]=100`)).body

const orders = Array.from({ length: 50 }, () => randomUUID())

describe.each(kinds)('codes of %s', (kind) => {
  test('50 orders at once spend a code of ten uses ten times', async () => {
    const code = await makeCode(world.admin, kind, { uses: 10 })
    const outcomes = await Promise.all(orders.map((id) => spend(world, [code], {}, id)))
    const winners = orders.filter((_, i) => !outcomes[i]?.length)
    expect(winners.length).toBe(10)
    expect(outcomes.filter((unspent) => unspent.length).every(([use]) => use === code)).toBe(true)
    expect(await codeOf(code)).toMatchObject({ uses: 0, max_uses: 10 })
    const { data, meta } = await usagesOf(code)
    expect(meta.results.total).toBe(10)
    const spenders = data.map(({ order_id }: { order_id: string }) => order_id)
    expect(spenders.sort()).toEqual(winners.sort())
  })

  test('an order takes several uses at once, or none', async () => {
    const [, perThing] = units[kind]
    const code = await makeCode(world.admin, kind, { uses: 3, consume_unit: perThing })
    const two = { ...code, uses: 2 }
    expect(await spend(world, [two])).toEqual([])
    expect(await spend(world, [two])).toEqual([two])
    expect(await codeOf(code)).toMatchObject({ uses: 1 })
    expect((await usagesOf(code)).data).toMatchObject([{ times_used: 2 }])
  })

  test('an order whose transaction fails spends nothing', async () => {
    const code = await makeCode(world.admin, kind, { uses: 1 })
    const order = { id: randomUUID(), shopper: {}, at: world.work.clock.now() }
    const failed = world.work.transaction(async (work) => {
      expect(await spendCodes(work, [code], order)).toEqual([])
      throw new Error('the payment was declined')
    })
    await expect(failed).rejects.toThrow('declined')
    expect(await codeOf(code)).toMatchObject({ uses: 1 })
    expect((await usagesOf(code)).meta.results.total).toBe(0)
  })

  test('of several codes, all are spent or none is', async () => {
    const [spent, free] = [
      await makeCode(world.admin, kind, { uses: 0 }),
      await makeCode(world.admin, kind, { uses: 5 }),
    ]
    expect(await spend(world, [free, spent])).toEqual([spent])
    expect(await codeOf(free)).toMatchObject({ uses: 5 })
    expect((await usagesOf(free)).meta.results.total).toBe(0)
  })

  test('orders with the same codes in any order do not deadlock', async () => {
    const codes = await Promise.all([1, 2, 3, 4].map(() => makeCode(world.admin, kind, { uses: 100 })))
    const outcomes = await Promise.all(
      orders.map((id, n) => {
        const turned = codes.map((_, i) => codes[(i * (n % 2 ? 1 : 3) + n) % 4] as Code)
        return spend(world, turned, {}, id)
      }),
    )
    expect(outcomes.flat()).toEqual([])
    for (const code of codes) expect(await codeOf(code)).toMatchObject({ uses: 50 })
  })

  test('a code without a limit is used without a write of its row', async () => {
    const code = await makeCode(world.admin, kind)
    const state = async () => {
      const text = `SELECT version, used FROM ${kind === 'promotions' ? 'standard' : 'rule'}_promotion_codes WHERE id = $1`
      return (await world.sql(text, [(await codeOf(code)).id])).rows
    }
    const before = await state()
    await Promise.all(orders.map((id) => spend(world, [code], {}, id)))
    expect(await state()).toEqual(before)
    expect((await usagesOf(code)).meta.results.total).toBe(50)
  })

  test('an order does not wait for a job or a merchant who adds codes to the promotion', async () => {
    const code = await makeCode(world.admin, kind, { uses: 1 })
    await world.work.transaction(async (adding) => {
      await adding.store.lock(
        { table: kind === 'promotions' ? 'promotions' : 'rule_promotions' },
        code.promotionId,
      )
      expect(await spend(world, [code])).toEqual([])
    })
    expect(await codeOf(code)).toMatchObject({ uses: 0 })
  })

  test('a code that is deleted meanwhile is not spent', async () => {
    const code = await makeCode(world.admin, kind)
    expect((await world.admin.delete(`${code.promotion}/codes/${code.code}`)).status).toBe(204)
    expect(await spend(world, [code])).toEqual([code])
  })

  test('a promotion is deleted after the orders that spend its codes, or before them', async () => {
    const code = await makeCode(world.admin, kind, { uses: 100 })
    const [{ status }, ...outcomes] = await Promise.all([
      world.admin.delete(code.promotion),
      ...orders.map((id) => spend(world, [code], {}, id)),
    ])
    expect(status).toBe(204)
    expect(outcomes.flat().every((use) => use === code)).toBe(true)
  })
})

test('each of 20 shoppers spends a code twice, however many of their orders come at once', async () => {
  const limit = { max_uses: 2, includes_guests: true }
  const code = await makeCode(world.admin, 'rule-promotions', { max_uses_per_shopper: limit })
  const shoppers = Array.from({ length: 20 }, (_, i) =>
    i % 2 ? { customerId: randomUUID() } : { email: `${randomUUID()}@example.com` },
  )
  const outcomes = await Promise.all(
    shoppers.map((shopper) => Promise.all([1, 2, 3, 4, 5].map(() => spend(world, [code], shopper)))),
  )
  for (const own of outcomes) expect(own.filter((unspent) => !unspent.length).length).toBe(2)
  expect((await usagesOf(code)).meta.results.total).toBe(40)
})

test('a guest without an email address cannot spend a code with a limit for each shopper', async () => {
  const limit = { max_uses: 2, includes_guests: true }
  const code = await makeCode(world.admin, 'rule-promotions', { uses: 5, max_uses_per_shopper: limit })
  expect(await spend(world, [code])).toEqual([code])
  expect(await codeOf(code)).toMatchObject({ uses: 5 })
})

test('codes are spent in the transaction of their order only', async () => {
  const order = { id: randomUUID(), shopper: {}, at: world.work.clock.now() }
  await expect(spendCodes(world.work, [], order)).rejects.toThrow('in the transaction')
})
