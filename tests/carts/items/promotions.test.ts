import { expect, test } from 'vitest'
import { promotionShop } from '../../builders/carts/promotion-shop.ts'
import type { Any } from '../../support/requests.ts'

/** Promotions in carts: when they apply, and what the cart says of them. */

const its = promotionShop()
const { ids, standard, rule, code, newCart, add, product, enter, percentOff, total, items, titles } = its

test('automatic promotions of both kinds apply to each change, and to carts that were filled before', async () => {
  const cart = newCart()
  const before = await add(cart, product('LOAF', 2))
  expect([total(before), titles(before)]).toEqual([2000, []])
  const percent = await standard('percent_discount', { currencies: [{ percentage: 10, currency: 'USD' }] })
  const read = await its.world.shopper.get(`${cart}/items`)
  expect([total(read), items(read)]).toEqual([
    1800,
    [
      ['LOAF', 2000],
      [`auto_${percent}`, -200],
    ],
  ])
  const ruled = await rule(percentOff(50))
  const again = await add(cart, product('LOAF'))
  expect([total(again), items(again)]).toEqual([
    1350,
    [
      ['LOAF', 3000],
      [`auto_${percent}`, -300],
      [`auto_${ruled}`, -1350],
    ],
  ])
  expect(titles(again)).toEqual(['Promotion Added', 'Promotion Added', 'Discount Added'])
  expect(again.body.data[0].discounts.map(({ amount, ordinal }: Any) => [amount.amount, ordinal])).toEqual([
    [-300, 1],
    [-1350, 2],
  ])
  const { body } = await its.world.shopper.get(`${cart}?include=items&include=promotions`)
  expect(body.included.promotions.map(({ id }: Any) => id)).toEqual([percent, ruled])
})

test('a code says why it does not apply', async () => {
  const refusal = (reply: Any) => {
    const [{ detail, meta }] = reply.body.errors
    return [reply.status, detail, meta.code, meta.reason?.verdict]
  }
  const cart = newCart()
  expect(refusal(await enter(cart, 'NONE'))).toEqual([
    422,
    'At least one product must be included in your cart to qualify for this offer',
    'NONE',
    undefined,
  ])
  await add(cart, product('LOAF'))
  const notFound = 'No promotion could be found with the given code.'
  expect(refusal(await enter(cart, 'NONE'))).toEqual([404, notFound, 'NONE', 'unknown_code'])
  const dear = { strategy: 'cart_total', operator: 'gte', args: [100_000] }
  await code(await rule({ ...percentOff(10), rules: dear }, { automatic: false }), 'DEAR')
  const unmet = await enter(cart, 'DEAR')
  expect(refusal(unmet)).toEqual([404, notFound, 'DEAR', 'condition_unmet'])
  expect(unmet.body.errors[0].meta.reason).toMatchObject({
    node: 'rules',
    strategy: 'cart_total',
    needs: [100_000],
    has: 1000,
  })
  await code(await rule(percentOff(10), { automatic: false, enabled: false }), 'OFF')
  expect(refusal(await enter(cart, 'OFF'))[0]).toBe(404)
  await code(await rule(percentOff(10), { automatic: false }), 'FRIEND', { user: 'ada@example.com' })
  expect(refusal(await enter(cart, 'FRIEND'))).toEqual([404, notFound, 'FRIEND', 'unknown_code'])
  const seller = await its.world.admin.post(`${cart}/items`, {
    data: { type: 'promotion_item', code: 'FRIEND' },
  })
  expect(refusal(seller)).toEqual([404, notFound, 'FRIEND', 'code_of_another_shopper'])
  expect(items(await its.world.shopper.get(`${cart}/items`))).toEqual([['LOAF', 1000]])
})

test('in a list, codes apply to the items of the same request, and those refused stand beside', async () => {
  const cart = newCart()
  await code(await rule(percentOff(10), { automatic: false }), 'TEN')
  const reply = await add(cart, [
    { type: 'promotion_item', code: 'TEN' },
    { type: 'promotion_item', code: 'NONE' },
    product('LOAF'),
  ])
  expect([reply.status, total(reply)]).toEqual([201, 900])
  expect(reply.body.errors.map(({ status, meta }: Any) => [status, meta.code])).toEqual([['404', 'NONE']])
})

test('a code that a request has several times is entered once', async () => {
  const twice = ['NOBODYS', 'nobodys'].map((text) => ({ type: 'promotion_item', code: text }))
  const { body } = await add(newCart(), [product('LOAF'), ...twice])
  expect(body.errors.map(({ source }: Any) => source)).toEqual(['data.1'])
})

test('a promotion that does not stack is told to the shopper who entered its code', async () => {
  const cart = newCart()
  await code(await rule(percentOff(10), { automatic: false, stackable: false, priority: 90 }), 'FIRST')
  await code(await rule(percentOff(50), { automatic: false, stackable: false, priority: 60 }), 'SECOND')
  await add(cart, product('LOAF'))
  await enter(cart, 'SECOND')
  const reply = await enter(cart, 'FIRST')
  expect(items(reply)).toEqual([
    ['LOAF', 1000],
    ['FIRST', -100],
  ])
  expect(titles(reply)).toEqual([
    'Promotion Added',
    'Deleted Promotion',
    'Discount Updated',
    "Couldn't Stack Promotion",
  ])
})

test('an automatic gift comes with what it is for, and goes with it', async () => {
  const cart = newCart()
  await standard('bundle_gift', {
    requirements: [{ targets: [ids.LOAF], quantity: 2 }],
    gifts: [ids.JAM],
    auto_add_free_gift: true,
  })
  expect(items(await add(cart, product('LOAF')))).toEqual([['LOAF', 1000]])
  const given = await add(cart, product('LOAF'))
  expect(
    given.body.data.map(({ sku, quantity, auto_add_quantity: added }: Any) => [sku, quantity, added]),
  ).toEqual([
    ['LOAF', 2, undefined],
    ['JAM', 1, 1],
  ])
  expect(total(given)).toBe(2000)
  const [{ id }] = given.body.data
  const data = { type: 'cart_item', quantity: 1 }
  const fewer = await its.world.shopper.put(`${cart}/items/${id}`, { data })
  expect(items(fewer)).toEqual([['LOAF', 1000]])
})

test('of gifts for the same units, only those that are given are in the cart', async () => {
  const cart = newCart()
  const gift = (quantity: number, sku: string) =>
    standard('bundle_gift', {
      requirements: [{ targets: ['LOAF'], quantity }],
      ...{ gifts: [sku], auto_add_free_gift: true },
    })
  await gift(1, 'RYE')
  await gift(6, 'LOAF')
  // Until there is rye, its promotion takes no loaves, so the other one asks for a gift too.
  const reply = await add(cart, product('LOAF', 6))
  expect([total(reply), items(reply)]).toEqual([
    6000,
    [
      ['LOAF', 6000],
      ['RYE', 3000],
    ],
  ])
})

test('with Prefer: explain, each promotion of the store and each price is explained to sellers', async () => {
  const cart = newCart()
  const applied = await rule(percentOff(10))
  const disabled = await rule(percentOff(20), { enabled: false })
  await add(cart, product('LOAF', 3))
  const prefer = { prefer: 'explain' }
  const { body } = await its.world.admin.get(`${cart}/items`, prefer)
  expect(body.meta.promotion_verdicts.map(({ id, verdict, amount }: Any) => [id, verdict, amount])).toEqual([
    [disabled, 'disabled', undefined],
    [applied, 'applied', -300],
  ])
  expect(body.data[0].meta.explanation).toMatchObject({
    value: 3000,
    discounts: [{ source: 'rule', id: applied, amount: -300 }],
    taxes: [],
    with_tax: 2700,
    price: { pricebooks: [{ reason: 'chosen' }] },
  })
  const whole = await its.world.admin.get(cart, prefer)
  expect(whole.body.data.meta.promotion_verdicts).toHaveLength(2)
  expect((await its.world.shopper.get(`${cart}/items`, prefer)).body.meta.promotion_verdicts).toBeUndefined()
})

test('items and codes that are added at the same time all count', async () => {
  const cart = newCart()
  const codes = ['ONE', 'TWO', 'THREE', 'FOUR', 'FIVE']
  for (const text of codes) await code(await rule(percentOff(10), { automatic: false }), text)
  await add(cart, product('LOAF'))
  const replies = await Promise.all([
    ...codes.map((text) => enter(cart, text)),
    ...Array.from({ length: 20 }, (_, i) => add(cart, { ...product('RYE'), custom_inputs: { i } })),
  ])
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]))
  const read = await its.world.shopper.get(`${cart}/items`)
  expect(read.body.data.filter(({ type }: Any) => type === 'cart_item')).toHaveLength(21)
  expect(
    read.body.data.flatMap(({ type, sku }: Any) => (type === 'promotion_item' ? [sku] : [])).sort(),
  ).toEqual([...codes].sort())
  // 11,000 with five discounts of 10 %, one after the other.
  expect(total(read)).toBe(6495)
})

test('items and codes count together, in any order, and a code may be entered again', async () => {
  const cart = newCart()
  for (const text of ['FULL-1', 'FULL-2']) await code(await rule(percentOff(10), { automatic: false }), text)
  const wrap = (i: number) => ({
    ...{ type: 'custom_item', name: 'Wrap', sku: `WRAP-${i}`, price: { amount: 10 } },
    quantity: 1,
  })
  const full = await add(
    cart,
    Array.from({ length: 99 }, (_, i) => wrap(i)),
  )
  expect([full.status, (await enter(cart, 'FULL-1')).status]).toEqual([201, 201])
  for (const refused of [await enter(cart, 'FULL-2'), await add(cart, wrap(99))]) {
    const [{ title, detail }] = refused.body.errors
    expect([refused.status, title, detail]).toEqual([
      422,
      'Limit Reached',
      'A cart has at most 100 items and codes.',
    ])
  }
  expect([(await enter(cart, 'FULL-1')).status, (await add(cart, wrap(0))).status]).toEqual([201, 201])
})

test('a snapshot of a cart has the promotions of its instant', async () => {
  const cart = (
    await its.world.admin.post('/v2/carts', {
      data: {
        name: 'Next year',
        snapshot_date: '2098-06-01T00:00:00Z',
        discount_settings: { use_rule_promotions: true, custom_discounts_enabled: false },
      },
    })
  ).body.data.id
  await rule(percentOff(10), { start: '2098-01-01T00:00:00Z', end: '2099-01-01T00:00:00Z' })
  await rule(percentOff(50), { start: '2020-01-01T00:00:00Z', end: '2098-01-01T00:00:00Z' })
  const item = { type: 'custom_item', name: 'Wrap', sku: 'WRAP', quantity: 1, price: { amount: 1000 } }
  expect(total(await its.world.admin.post(`/v2/carts/${cart}/items`, { data: item }))).toBe(900)
})

test('a gift by code has its price until the code is entered again', async () => {
  const cart = newCart()
  const gift = await standard(
    'bundle_gift',
    {
      requirements: [{ targets: [ids.LOAF], quantity: 1 }],
      gifts: [ids.JAM],
      auto_add_free_gift: true,
    },
    { automatic: false },
  )
  await code(gift, 'JAM-FREE', {}, '/v2/promotions')
  await add(cart, product('LOAF'))
  const first = await enter(cart, 'JAM-FREE')
  expect([total(first), items(first)]).toEqual([
    1300,
    [
      ['LOAF', 1000],
      ['JAM', 300],
    ],
  ])
  const second = await enter(cart, 'JAM-FREE')
  expect([total(second), items(second)]).toEqual([
    1000,
    [
      ['LOAF', 1000],
      ['JAM', 300],
    ],
  ])
})

test('the stored price of a cart with a code is shown until the code changes', async () => {
  const cart = newCart()
  await code(await rule(percentOff(10), { automatic: false }), 'KEPT')
  await add(cart, [product('LOAF'), { type: 'promotion_item', code: 'KEPT' }])
  await add(cart, { type: 'promotion_item', code: 'unknown' })
  const name = cart.replace('/v2/carts/', '')
  // A price that nothing computes shows where it comes from.
  await its.world.sql(
    `UPDATE carts SET inside = jsonb_set(inside::jsonb, '{priced,prices,with_tax}', '1') WHERE reference = $1`,
    [name],
  )
  expect(total(await its.world.shopper.get(`${cart}/items`))).toBe(1)
  // As earlier releases stored it.
  await its.world.sql(
    `UPDATE carts SET inside = NULL, hidden = (hidden::jsonb || inside::jsonb)::json WHERE reference = $1`,
    [name],
  )
  expect(total(await its.world.shopper.get(`${cart}/items`))).toBe(1)
  expect((await its.world.shopper.delete(`${cart}/discounts/KEPT`)).status).toBe(204)
  await its.world.sql(
    `UPDATE carts SET inside = jsonb_set(inside::jsonb, '{priced,prices,with_tax}', '2') WHERE reference = $1`,
    [name],
  )
  expect(total(await its.world.shopper.get(`${cart}/items`))).toBe(2)
})
