import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addCodes, idIn, makePromotion, newCode, spend } from '../../builders/promotions/codes.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let used: string
let unused: string
const code = newCode()
const other = newCode()
const order = randomUUID()
let codeId: string
beforeAll(async () => {
  world = await openWorld({ alone: true })
  const [first, second] = [
    await makePromotion(world.admin, 'promotions'),
    await makePromotion(world.admin, 'promotions'),
  ]
  used = idIn(first)
  unused = idIn(second)
  await addCodes(world.admin, first, { code }, { code: newCode() })
  await addCodes(world.admin, second, { code: other })
  const { body } = await world.admin.get(`${first}/codes?filter=eq(code,${code})`)
  codeId = body.data[0].id
  const use = { promotionId: used, code, uses: 2 }
  await spend(world, [use], { email: 'ann@example.com' }, order)
  await spend(world, [{ ...use, uses: 3 }], { email: 'ben@example.com' })
})
afterAll(() => world.close())

const found = async (filter: string) => {
  const { status, body } = await world.admin.get(`/v2/promotions?filter=${encodeURIComponent(filter)}`)
  return status === 200 ? body.data.map(({ id }: { id: string }) => id) : [status, body.errors[0].detail]
}
const day = (from: number) => new Date(Date.now() + from * 86_400_000).toISOString().slice(0, 10)

test.each([
  ['eq', 2, 'used'],
  ['ge', 2, 'used'],
  ['gt', 1, 'used'],
  ['gt', 5, 'none'],
  ['lt', 3, 'both'],
  ['le', 2, 'both'],
] as const)('%s(promo_checkouts,%i) finds promotions by their orders', async (op, n, expected) => {
  const ids = { used: [used], none: [], both: [used, unused].sort() }[expected]
  expect((await found(`${op}(promo_checkouts,${n})`)).sort()).toEqual(ids)
})

test('checkouts are counted up to a limit', async () => {
  expect(await found('eq(promo_checkouts,0)')).toEqual([unused])
  expect(await found('ge(promo_checkouts,-1.5)')).toHaveLength(2)
  expect(await found('gt(promo_checkouts,10001)')).toEqual([400, expect.stringContaining('at most 10000')])
})

test.each([
  ['eq', 5, 'used'],
  ['ge', 5, 'used'],
  ['gt', 4, 'used'],
  ['gt', 5, 'none'],
  ['eq', 2, 'none'],
  ['eq', 0, 'both'],
  ['lt', 1, 'both'],
  ['le', 4.5, 'both'],
] as const)(
  '%s(code_used,%d) finds promotions by the uses of one of their codes',
  async (op, n, expected) => {
    const ids = { used: [used], none: [], both: [used, unused].sort() }[expected]
    expect((await found(`${op}(code_used,${n})`)).sort()).toEqual(ids)
  },
)

test('uses are counted up to a limit', async () => {
  expect(await found('gt(code_used,10001)')).toEqual([400, expect.stringContaining('at most 10000')])
})

test('promotions are found by their codes', async () => {
  expect(await found(`eq(code_id,${codeId})`)).toEqual([used])
  expect(await found(`eq(code_code,${code.toUpperCase()})`)).toEqual([used])
  expect(await found(`like(code_code,${code.slice(0, 12).toUpperCase()}*)`)).toEqual([used])
  expect((await found(`in(code_code,${code},${other})`)).sort()).toEqual([used, unused].sort())
})

test('promotions are found by the orders that used their codes', async () => {
  expect(await found(`eq(order_id,${order.toUpperCase()})`)).toEqual([used])
  expect(await found(`like(order_id,${order.slice(0, 8)}*)`)).toEqual([used])
  expect(await found('eq(order_customer_email,ann@example.com)')).toEqual([used])
  expect(await found('like(order_customer_email,ben*)')).toEqual([used])
  expect(await found('like(order_customer_email,carl*)')).toEqual([])
})

test('a day stands for all of it where instants must be equal', async () => {
  const both = [used, unused].sort()
  const around = `in(code_created_date,${day(0)},${day(-1)})`
  expect((await found(around)).sort()).toEqual(both)
  expect(await found(`in(order_created_date,${day(0)},${day(-1)})`)).toEqual([used])
  for (const field of ['code_created_date', 'order_created_date']) {
    const all = field === 'code_created_date' ? both : [used]
    expect([field, (await found(`gr(${field},${day(-1)}):le(${field},${day(1)})`)).sort()]).toEqual([
      field,
      all,
    ])
    expect([field, await found(`gt(${field},${day(1)})`)]).toEqual([field, []])
    expect([field, await found(`eq(${field},${day(-7)})`)]).toEqual([field, []])
  }
})
