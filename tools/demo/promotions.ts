import type { Merchant } from './merchant.ts'
import { daysLater } from './past-clock.ts'
import type { ShopPlan } from './plan.ts'
import type { PlannedProduct } from './products.ts'

/** Codes that shoppers may enter all year. */
export const codes = { welcome: 'WELCOME10', friends: 'FRIENDS', tenner: 'TENNER' } as const

const percentages = (percentage: number) =>
  ['USD', 'EUR', 'GBP'].map((currency) => ({ currency, percentage }))

const inCurrencies = (cents: number) => ['USD', 'EUR', 'GBP'].map((currency) => ({ currency, amount: cents }))

/** Creates promotions of all types: running, scheduled and ended, by themselves or by code. */
export async function addPromotions(
  merchant: Merchant,
  { opens, ends }: ShopPlan,
  products: readonly PlannedProduct[],
): Promise<void> {
  // Those without children: a promotion names what is in the cart.
  const simple = products.filter(({ ware }) => ware.options === undefined)
  const simpleAt = (i: number) => simple[i % simple.length] as PlannedProduct
  const skuOf = (i: number) => simpleAt(i).sku
  const year = { start: day(opens), end: day(daysLater(ends, 180)) }
  const common = { enabled: true, automatic: true, ...year }
  const standard: readonly (readonly [
    name: string,
    type: string,
    schema: object,
    more?: object,
    code?: string,
  ])[] = [
    [
      'Ten for new friends',
      'percent_discount',
      { currencies: percentages(10) },
      { automatic: false },
      codes.welcome,
    ],
    [
      'A tenner off',
      'fixed_discount',
      { currencies: inCurrencies(1000) },
      { automatic: false, min_cart_value: inCurrencies(5000) },
      codes.tenner,
    ],
    ['Three for two', 'x_for_y', { x: 3, y: 2, targets: [skuOf(0)] }],
    [
      'Two at a round price',
      'x_for_amount',
      { x: 2, currencies: inCurrencies(Math.round(simpleAt(1).price * 1.7)), targets: [skuOf(1)] },
    ],
    ['Fifteen off one', 'item_percent_discount', { percent: 15, targets: [skuOf(2)] }],
    ['Two off each', 'item_fixed_discount', { currencies: inCurrencies(200), targets: [skuOf(3)] }],
    [
      'A set for less',
      'bundle_fixed_discount',
      { requirements: setOf(skuOf(4), skuOf(5)), currencies: inCurrencies(500) },
    ],
    [
      'A gift with it',
      'bundle_gift',
      { requirements: setOf(skuOf(6)), gifts: [skuOf(7)], auto_add_free_gift: false },
    ],
    ['Spring sale', 'percent_discount', { currencies: percentages(20) }, { enabled: false }],
    [
      'Next month',
      'percent_discount',
      { currencies: percentages(15) },
      { start: day(daysLater(ends, 20)), end: day(daysLater(ends, 50)) },
    ],
  ]
  for (const [name, promotion_type, schema, more = {}, code] of standard) {
    const data = {
      ...common,
      type: 'promotion',
      name,
      description: `${name}.`,
      promotion_type,
      schema,
      ...more,
    }
    const { id, isNew } = await merchant.create('/v2/promotions', `promotion ${name}`, data)
    if (code && isNew) await addCode(merchant, `/v2/promotions/${id}`, code)
  }
  const inCart = (cents: number) => ({ strategy: 'cart_total', operator: 'gte', args: [cents] })
  const someOf = (quantity: number, sku: string) => ({
    ...oneOf(sku),
    children: [{ strategy: 'item_quantity', operator: 'gte', args: [quantity] }],
  })
  const oneOf = (...skus: readonly string[]) => ({ strategy: 'item_sku', operator: 'in', args: skus })
  const rules: readonly (readonly [name: string, ruleSet: object, more?: object, code?: string])[] = [
    [
      'Five per cent of large orders',
      { rules: inCart(30_000), actions: [{ strategy: 'cart_discount', args: ['percent', 5] }] },
    ],
    [
      'Friends',
      { actions: [{ strategy: 'cart_discount', args: ['percent', 12] }] },
      { automatic: false },
      codes.friends,
    ],
    [
      'Loyal to one kind',
      {
        actions: [{ strategy: 'item_discount', args: ['percent', 10], condition: oneOf(skuOf(8), skuOf(9)) }],
      },
    ],
    [
      'At most three for less',
      {
        actions: [
          {
            strategy: 'item_discount',
            args: ['fixed', 100],
            condition: oneOf(skuOf(10)),
            limitations: { max_quantity: 3 },
          },
        ],
      },
    ],
    [
      'A pair for less',
      {
        actions: [
          {
            strategy: 'items_bundle_discount',
            args: ['percent', 15],
            condition: { strategy: 'items_bundle', children: [someOf(1, skuOf(11)), someOf(1, skuOf(12))] },
          },
        ],
      },
    ],
    [
      'Half of express delivery',
      {
        actions: [
          {
            strategy: 'shipping_discount',
            args: ['percent', 50],
            condition: { strategy: 'shipping_type', operator: 'in', args: ['express'] },
          },
        ],
      },
    ],
    [
      'After the holidays',
      { actions: [{ strategy: 'cart_discount', args: ['percent', 25] }] },
      { start: day(daysLater(ends, 35)), end: day(daysLater(ends, 42)) },
    ],
  ]
  for (const [i, [name, rule_set, more = {}, code]] of rules.entries()) {
    const data = {
      ...common,
      type: 'rule_promotion',
      name,
      description: `${name}.`,
      rule_set,
      priority: i + 1,
      stackable: true,
      ...more,
    }
    const { id, isNew } = await merchant.create('/v2/rule-promotions', `rule promotion ${name}`, data)
    if (code && isNew) await addCode(merchant, `/v2/rule-promotions/${id}`, code)
  }
}

const setOf = (...skus: readonly string[]) => skus.map((sku) => ({ targets: [sku], quantity: 1 }))

const addCode = (merchant: Merchant, promotion: string, code: string) =>
  merchant.do('POST', `${promotion}/codes`, { type: 'promotion_codes', codes: [{ code, uses: 100_000 }] })

const day = (time: Date) => time.toISOString().slice(0, 10)
