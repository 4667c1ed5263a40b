import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { guestBody } from '../../builders/orders/buying.ts'
import { shopOf } from '../../builders/shop/publishing.ts'
import { storeOf } from '../../builders/shop/storefront.ts'
import type { Any } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

/** A merchant runs a campaign in each of three currencies. Comments work out by hand what shoppers pay. */

let world: World
const ids: Record<string, string> = {}

/** In cents, yen and fils; euros and yen include tax, dinars do not. */
const prices = {
  ESPRESSO: { EUR: 899 },
  TEA: { EUR: 450 },
  CUP: { JPY: 1980 },
  POT: { JPY: 3300 },
  COASTER: { JPY: 300 },
  RACKET: { KWD: 10_000 },
  BALL: { KWD: 500 },
}

beforeAll(async () => {
  world = await openWorld({ overHttp: true })
  const shop = shopOf(world)
  const store = storeOf(world, shop)
  await store.currency('EUR', '€{price}')
  await store.currency('JPY', '¥{price}', 0)
  await store.currency('KWD', 'KD {price}', 3)
  const { hierarchy, node } = await store.shelf()
  ids.coffee = await shop.node(hierarchy)
  const book = await store.pricebook()
  for (const [sku, amounts] of Object.entries(prices)) {
    ids[sku] = await shop.product({ sku, name: sku })
    await shop.put(hierarchy, sku === 'ESPRESSO' ? ids.coffee : node, ids[sku])
    const currencies = Object.fromEntries(
      Object.entries(amounts).map(([code, amount]) => [code, { amount, includes_tax: code !== 'KWD' }]),
    )
    await store.price(book, sku, { currencies })
  }
  await shop.publish(await shop.catalog([hierarchy], { pricebook_id: book }))
  const discounts = { use_rule_promotions: true, custom_discounts_enabled: false }
  await world.admin.put('/v2/settings/cart', { data: { type: 'settings', discounts } })
})
afterAll(() => world.close())

const period = { start: '2020-01-01', end: '2999-01-01' }

async function send(method: string, path: string, data: unknown, client = world.admin, headers = {}) {
  const { status, body } = await client.send(method, path, { headers, body: JSON.stringify({ data }) })
  expect([method, path, status, body?.errors]).toEqual([method, path, status, undefined])
  return body
}

const standard = async (promotion_type: string, schema: object, more: object = {}): Promise<string> => {
  const data = { type: 'promotion', name: promotion_type, description: 'A campaign', enabled: true }
  const promotion = { ...data, automatic: true, ...period, promotion_type, schema, ...more }
  return (await send('POST', '/v2/promotions', promotion)).data.id
}

const rule = async (rule_set: object, more: object = {}): Promise<string> => {
  const data = { type: 'rule_promotion', name: 'A rule', enabled: true, automatic: true, ...period, rule_set }
  return (await send('POST', '/v2/rule-promotions', { ...data, ...more })).data.id
}

const shopperOf = (cart: string, currency: string) => {
  const path = `/v2/carts/${cart}`
  const headers = { 'x-moltin-currency': currency }
  return {
    path,
    put: (data: object) => send('PUT', path, data, world.shopper),
    add: (...data: object[]) => send('POST', `${path}/items`, data, world.shopper, headers),
    enter: (code: string) =>
      world.shopper.post(`${path}/items`, { data: { type: 'promotion_item', code } }, headers),
    group: async (data: object) =>
      (await send('POST', `${path}/shipping-groups`, data, world.shopper, headers)).data.id as string,
    tax: async (sku: string, rate: number) => {
      const { data } = (await world.shopper.get(`${path}/items`)).body
      const { id } = data.find((item: Any) => item.sku === sku)
      await send('POST', `${path}/items/${id}/taxes`, { type: 'tax_item', name: 'VAT', rate })
    },
  }
}
const product = (sku: string, quantity: number, more: object = {}) => ({
  ...{ type: 'cart_item', sku, quantity },
  ...more,
})

/** A cart: what each line costs, its discounts, its tax, and all together. Its reasons add up to its totals. */
async function explained(path: string) {
  const { body } = await world.admin.get(`${path}?include=items`, { prefer: 'explain' })
  const { display_price: totals, promotion_verdicts: verdicts } = body.data.meta
  const items: Any[] = body.included.items
  const lines = items.filter(({ type }) => type !== 'promotion_item')
  const sum = (all: readonly Any[], of: (one: Any) => number) =>
    all.reduce((total, one) => total + of(one), 0)
  const applied = verdicts.filter(({ verdict }: Any) => verdict === 'applied')
  const discounts = lines.flatMap((line) => line.discounts ?? [])
  for (const { id, amount } of applied) {
    expect(
      sum(
        discounts.filter((one) => one.id === id),
        (one) => one.amount.amount,
      ),
    ).toBe(amount)
  }
  expect(sum(applied, ({ amount }) => amount)).toBe(totals.discount.amount)
  expect(sum(applied, ({ shipping }) => shipping)).toBe(totals.shipping_discount.amount)
  const ofLines = (name: string) => sum(lines, ({ meta }) => meta.display_price[name].value.amount)
  const shipping = totals.shipping.amount + totals.shipping_discount.amount
  expect(ofLines('with_tax') + shipping).toBe(totals.with_tax.amount)
  expect(ofLines('without_tax') + shipping).toBe(totals.without_tax.amount)
  expect(ofLines('tax')).toBe(totals.tax.amount)
  expect(totals.without_tax.amount + totals.tax.amount).toBe(totals.with_tax.amount)
  return {
    lines: lines.map(({ sku, value, discounts: own = [], meta }) => [
      ...[sku, value.amount, own.map(({ amount }: Any) => amount.amount)],
      ...[meta.display_price.tax.value.amount, meta.display_price.with_tax.value.amount],
    ]),
    totals: Object.fromEntries(Object.entries<Any>(totals).map(([name, { amount }]) => [name, amount])),
    pays: totals.with_tax.formatted,
    verdicts,
  }
}

describe('in euros: three coffees for two, a tenth off up to five euros, and shipping', () => {
  test('what the shopper pays is what paper says', async () => {
    await standard('x_for_y', { target_nodes: [ids.coffee], x: 3, y: 2 })
    await standard(
      'percent_discount',
      {
        currencies: [{ currency: 'EUR', percentage: 10 }],
        exclude: { targets: ['__shipping_standard'] },
      },
      { max_discount_value: [{ currency: 'EUR', amount: 500 }] },
    )
    const shopper = shopperOf('in-euros', 'EUR')
    await shopper.add(product('ESPRESSO', 7), product('TEA', 2), {
      ...{ type: 'custom_item', name: 'Standard', sku: '__shipping_standard', quantity: 1 },
      price: { amount: 495, includes_tax: true },
    })
    await shopper.tax('ESPRESSO', 0.07)
    await shopper.tax('TEA', 0.07)
    await shopper.tax('__shipping_standard', 0.19)
    const { lines, totals, pays } = await explained(shopper.path)
    expect(lines).toEqual([
      // 7 × 899 = 6293, two of them free: 4495. A tenth of 4495 + 900 is 540, at most 500: 416.59 and 83.41.
      // 4495 − 417 = 4078, of which 4078 ÷ 1.07 = 3811.21 are without tax.
      ['ESPRESSO', 6293, [-1798, -417], 267, 4078],
      // 900 − 83 = 817 ÷ 1.07 = 763.55.
      ['TEA', 900, [-83], 53, 817],
      // 495 ÷ 1.19 = 415.97.
      ['__shipping_standard', 495, [], 79, 495],
    ])
    expect(totals).toEqual({
      ...{ with_tax: 5390, without_tax: 4991, tax: 399, discount: -2298, without_discount: 7688 },
      ...{ shipping: 0, shipping_discount: 0 },
    })
    expect(pays).toBe('€53.90')
  })
})

describe('in yen: a gift with two cups, and 500 yen off 5,000 by a code that each shopper uses once', () => {
  const guest = { email: 'aki@example.com' }
  const reasonOf = ({ status, body }: Any) => [status, body.errors[0].meta.reason]

  test('the code waits until the cart is dear enough and the shopper is known', async () => {
    await standard('bundle_gift', {
      ...{ requirements: [{ targets: [ids.CUP], quantity: 2 }], gifts: [ids.COASTER] },
      auto_add_free_gift: true,
    })
    const natsu = await rule(
      {
        currencies: ['JPY'],
        rules: { strategy: 'cart_total', operator: 'gte', args: [5000] },
        actions: [{ strategy: 'cart_discount', args: ['fixed', 500] }],
      },
      { automatic: false, name: 'Natsu' },
    )
    const max_uses_per_shopper = { max_uses: 1, includes_guests: true }
    const codes = { type: 'promotion_codes', codes: [{ code: 'NATSU', max_uses_per_shopper }] }
    await send('POST', `/v2/rule-promotions/${natsu}/codes`, codes)
    const shopper = shopperOf('in-yen', 'JPY')
    await shopper.add(product('CUP', 2))
    expect(reasonOf(await shopper.enter('NATSU'))).toMatchObject([404, { verdict: 'needs_contact_email' }])
    await shopper.put({ contact: guest })
    expect(reasonOf(await shopper.enter('NATSU'))).toMatchObject([
      404,
      { verdict: 'condition_unmet', needs: [5000], has: 3960 },
    ])
    await shopper.add(product('POT', 1))
    expect((await shopper.enter('natsu')).status).toBe(201)
    for (const sku of ['CUP', 'POT', 'COASTER']) await shopper.tax(sku, 0.1)
    const { lines, totals, pays } = await explained(shopper.path)
    expect(lines).toEqual([
      // 500 in proportion to 3960 and 3300: 272.73 and 227.27. (3960 − 273) ÷ 1.1 = 3351.82.
      ['CUP', 3960, [-273], 335, 3687],
      ['COASTER', 300, [-300], 0, 0],
      // (3300 − 227) ÷ 1.1 = 2793.64.
      ['POT', 3300, [-227], 279, 3073],
    ])
    expect(totals).toEqual({
      ...{ with_tax: 6760, without_tax: 6146, tax: 614, discount: -800, without_discount: 7560 },
      ...{ shipping: 0, shipping_discount: 0 },
    })
    expect(pays).toBe('¥6,760')
  })

  test('after the order, the same shopper cannot use the code again', async () => {
    const first = await world.shopper.post(
      '/v2/carts/in-yen/checkout',
      guestBody({ customer: { name: 'Aki', ...guest } }),
    )
    expect([first.status, first.body.data.meta.display_price.with_tax.amount]).toEqual([201, 6760])
    const again = shopperOf('in-yen-again', 'JPY')
    await again.put({ contact: { email: 'AKI@example.com' } })
    await again.add(product('POT', 2))
    const { status, body } = await again.enter('NATSU')
    expect([status, body.meta.messages[0].title]).toEqual([201, 'Fully Consumed'])
    expect((await explained(again.path)).totals.discount).toBe(0)
    const another = shopperOf('in-yen-another', 'JPY')
    await another.put({ contact: { email: 'yui@example.com' } })
    await another.add(product('POT', 2))
    expect((await another.enter('NATSU')).status).toBe(201)
    expect((await explained(another.path)).totals.discount).toBe(-500)
  })
})

describe('in dinars: rackets and balls together, a tenth off up to 1.250, and half of the shipping', () => {
  test('what the shopper pays is what paper says', async () => {
    const of = (sku: string, quantity: number) => ({
      ...{ strategy: 'item_product_id', operator: 'in', args: [ids[sku]] },
      children: [{ strategy: 'item_quantity', operator: 'gte', args: [quantity] }],
    })
    const currencies = ['KWD']
    const condition = { strategy: 'items_bundle', children: [of('RACKET', 2), of('BALL', 3)] }
    const bundle = { strategy: 'items_bundle_discount', args: ['fixed_price', 18_000], condition }
    await rule({ currencies, actions: [bundle] }, { priority: 2 })
    const tenth = { strategy: 'cart_discount', args: ['percent', 10], limitations: { max_discount: 1250 } }
    const half = {
      ...{ strategy: 'shipping_discount', args: ['percent', 50] },
      condition: { strategy: 'shipping_type', operator: 'in', args: ['express'] },
    }
    await rule({ currencies, actions: [tenth, half] }, { priority: 1 })
    const shopper = shopperOf('in-dinars', 'KWD')
    const shipping_price = { base: 1500, fees: 250 }
    const shipping_group_id = await shopper.group({ shipping_type: 'express', shipping_price })
    await shopper.add(product('RACKET', 2, { shipping_group_id }), product('BALL', 4))
    await shopper.tax('RACKET', 0.05)
    await shopper.tax('BALL', 0.05)
    const { lines, totals, pays } = await explained(shopper.path)
    expect(lines).toEqual([
      // 2 × 10,000 + 3 × 500 = 21,500 for 18,000: 3,500 in proportion to 20,000 and 1,500 are 3255.81 and 244.19.
      // A tenth of 16,744 + 1,756 is 1,850, at most 1,250: 1131.35 and 118.65. 5 % of 15,613 are 780.65.
      ['RACKET', 20_000, [-3256, -1131], 781, 16_394],
      // 5 % of 1,637 are 81.85.
      ['BALL', 2000, [-244, -119], 82, 1719],
    ])
    // 1,500 + 250 for shipping, less half of the 1,500.
    expect(totals).toEqual({
      ...{ with_tax: 19_113, without_tax: 18_250, tax: 863, discount: -4750, without_discount: 23_750 },
      ...{ shipping: 1750, shipping_discount: -750 },
    })
    expect(pays).toBe('KD 19.113')
  })
})
