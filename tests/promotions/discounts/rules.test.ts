import { expect, test } from 'vitest'
import type { RuleAction } from '../../../server/promotions/discounts/rules/rule-document.ts'
import { type DiscountLine, evaluate } from '../../../server/promotions/index.ts'
import { cartOf, line, offsOf, rule, run, standard } from '../../builders/promotions/discounts.ts'
import { action, all, bundle, cartTenth, itemHalf, node, some } from './rule-nodes.ts'

/** The worked examples of rule promotions, and each action. */

test.for<[title: string, lines: readonly DiscountLine[], actions: readonly RuleAction[], offs: object]>([
  [
    'socks: the two cheapest units of three lines',
    [line('a', 1099, 1), line('b', 999, 1), line('c', 1500, 1)],
    [action('item_discount', ['percent', 100], { limitations: { items: { max_units: 2 } } })],
    { a: -1099, b: -999 },
  ],
  [
    'socks: two units of the cheapest line',
    [line('a', 1099, 1), line('b', 999, 2), line('c', 1500, 1)],
    [action('item_discount', ['percent', 100], { limitations: { items: { max_units: 2 } } })],
    { b: -1998 },
  ],
  [
    'the two dearest lines',
    [line('a', 1000, 1), line('b', 3000, 1), line('c', 2000, 1)],
    [
      action('item_discount', ['percent', 50], {
        limitations: { items: { max_items: 2, price_strategy: 'expensive' } },
      }),
    ],
    { b: -1500, c: -1000 },
  ],
  [
    'lines, units of each, and a ceiling that cuts in proportion',
    [line('a', 600, 3), line('b', 900, 1), line('c', 2000, 1)],
    [
      action('item_discount', ['percent', 50], {
        limitations: { max_quantity: 2, max_discount: 1000, items: { max_items: 2 } },
      }),
    ],
    { a: -571, b: -429 },
  ],
  [
    'two units for an amount',
    [line('a', 6000, 5)],
    [action('item_discount', ['fixed_price', 2, 10000])],
    { a: -4000 },
  ],
  [
    'a fixed amount off each unit',
    [line('a', 1000, 4), line('b', 200, 4)],
    [action('item_discount', ['fixed', 300])],
    { a: -1200, b: -800 },
  ],
  [
    'a discount of items, then of the cart',
    [line('a', 10000, 1)],
    [action('item_discount', ['fixed', 1000]), action('cart_discount', ['fixed', 2000])],
    { a: -3000 },
  ],
  [
    'a ceiling of the cart',
    [line('a', 30000, 1)],
    [action('cart_discount', ['percent', 25], { limitations: { max_discount: 5000 } })],
    { a: -5000 },
  ],
  [
    'a ceiling of the cart is divided once',
    [line('a', 13_093, 1), line('b', 124, 2)],
    [action('cart_discount', ['percent', 15], { limitations: { max_discount: 1593 } })],
    { a: -1563, b: -30 },
  ],
  [
    'a discount of the cart on some lines',
    [line('a', 1000, 1), line('b', 500, 1)],
    [action('cart_discount', ['percent', 50], { condition: node('item_sku', 'nin', 'b') })],
    { a: -500 },
  ],
  [
    'a total as the condition of a discount of the cart is for all lines',
    [line('a', 1000, 1), line('b', 500, 1)],
    [action('cart_discount', ['percent', 50], { condition: [node('cart_total', 'gte', 1500)] })],
    { a: -500, b: -250 },
  ],
  [
    'a bundle for an amount',
    [line('racket', 10000, 2), line('ball', 500, 3)],
    [
      action('items_bundle_discount', ['fixed_price', 18000], {
        condition: bundle(some(2, 'racket'), some(3, 'ball')),
      }),
    ],
    { racket: -3256, ball: -244 },
  ],
  [
    'a ceiling of bundles is divided once',
    [line('a', 13_093, 1), line('b', 124, 2)],
    [
      action('items_bundle_discount', ['percent', 15], {
        condition: bundle(some(1, 'a'), some(2, 'b')),
        limitations: { max_discount: 1593 },
      }),
    ],
    { a: -1563, b: -30 },
  ],
  [
    'two bundles, by the name of the documentation',
    [line('racket', 10000, 5), line('ball', 500, 7)],
    [
      action('item_bundle_discount', ['fixed', 1000], {
        condition: bundle(some(2, 'racket'), some(3, 'ball')),
      }),
    ],
    { racket: -1860, ball: -140 },
  ],
  [
    'a bundle of any two items takes a line with enough first, then several',
    [line('a', 100, 1), line('b', 1000, 3), line('c', 10, 1)],
    [
      action('items_bundle_discount', ['percent', 50], {
        condition: bundle(all(node('item_price', 'gt', 0), node('item_quantity', 'gte', 2))),
      }),
    ],
    { a: -50, b: -1500 },
  ],
])('%s', ([, lines, actions, offs]) => {
  expect(offsOf(run(lines, [rule({ actions })]))).toEqual(offs)
})

test('buying one gets another cheaper', () => {
  const half = action('item_discount', ['percent', 50], { condition: node('item_sku', 'in', 'Y') })
  const promotion = rule({ rules: node('item_sku', 'in', 'X'), actions: [half] })
  expect(offsOf(run([line('X', 1000, 1), line('Y', 600, 2)], [promotion]))).toEqual({ Y: -600 })
  expect(offsOf(run([line('Y', 600, 2)], [promotion]))).toEqual({})
})

test('a bundle discount without a condition is for the bundle of the rules', () => {
  const rules = bundle(some(2, 'A'), some(1, 'B'))
  const promotion = rule({ rules, actions: [action('items_bundle_discount', ['fixed', 300])] })
  expect(offsOf(run([line('A', 1000, 5), line('B', 1000, 2)], [promotion]))).toEqual({ A: -400, B: -200 })
})

test('units of a line that has a discount have its average price', () => {
  const earlier = standard(
    'item_percent_discount',
    { targets: ['A'], percent: 50 },
    { max_applications_per_cart: 1 },
  )
  const one = rule({
    actions: [action('item_discount', ['percent', 10], { limitations: { max_quantity: 1 } })],
  })
  // 3 × 1000 are 2500 now: a tenth of 833.33.
  expect(run([line('A', 1000, 3)], [earlier, one]).shares.map(({ amount }) => amount)).toEqual([-500, -83])
})

test('a price after discounts decides', () => {
  const half = rule({ actions: [itemHalf] }, { priority: 2 })
  const cheap = rule({ rules: node('item_price', 'lte', 500), actions: [cartTenth] }, { priority: 1 })
  expect(offsOf(run([line('A', 1000, 1)], [half, cheap]))).toEqual({ A: -550 })
})

test('shipping is discounted on the base of each group', () => {
  const shippingGroups = [
    { id: '1', shippingType: 'ground', base: 500 },
    { id: '2', shippingType: 'air', base: 900 },
  ]
  const offs = (...args: RuleAction['args']) => {
    const condition = node('shipping_type', 'in', 'ground')
    const promotions = [rule({ actions: [action('shipping_discount', args, { condition })] })]
    return run([line('A', 1000, 1)], promotions, [], { shippingGroups }).shippingShares.map(
      ({ groupId, amount }) => [groupId, amount],
    )
  }
  expect(offs('percent', 100)).toEqual([['1', -500]])
  expect(offs('fixed', 200)).toEqual([['1', -200]])
  expect(offs('fixed', 900)).toEqual([['1', -500]])
  expect(offs('fixed_price', 100)).toEqual([['1', -400]])
  const everywhere = rule({ actions: [action('shipping_discount', ['fixed', 600])] })
  expect(run([], [everywhere], [], { shippingGroups }).verdicts).toMatchObject([{ shipping: -1100 }])
})

test('actions of one promotion have one share of each line and shipping group', () => {
  const shippingGroups = [{ id: '1', shippingType: 'ground', base: 500 }]
  const actions = [
    action('item_discount', ['fixed', 100]),
    action('item_discount', ['percent', 10]),
    action('cart_discount', ['percent', 50], { limitations: { max_discount: 0 } }),
    action('shipping_discount', ['fixed', 100]),
    action('shipping_discount', ['percent', 50]),
  ]
  const { shares, shippingShares } = run([line('A', 1000, 1)], [rule({ actions })], [], { shippingGroups })
  expect(shares.map(({ amount, isOfCart }) => [amount, isOfCart])).toEqual([[-190, false]])
  expect(shippingShares.map(({ amount }) => amount)).toEqual([-300])
})

test('standard promotions come first, then rules by priority, then those without one', () => {
  const promotions = [
    rule({ actions: [action('cart_discount', ['fixed', 500])] }),
    rule({ actions: [action('cart_discount', ['percent', 20])] }, { priority: 5 }),
    standard('percent_discount', { currencies: [{ percentage: 10, currency: 'USD' }] }),
  ]
  const { shares } = run([line('A', 10000, 1)], promotions)
  expect(shares.map(({ amount, ordinal }) => [amount, ordinal])).toEqual([
    [-1000, 1],
    [-1800, 2],
    [-500, 3],
  ])
})

test('a discount of the standard cart, of items and of the cart by rules add up', () => {
  const promotions = [
    rule({ actions: [action('cart_discount', ['fixed', 2000])] }, { priority: 1 }),
    rule({ actions: [action('item_discount', ['fixed', 1000])] }, { priority: 2 }),
    standard('fixed_discount', { currencies: [{ amount: 1000, currency: 'USD' }] }),
  ]
  const { shares } = run([line('A', 10000, 1)], promotions)
  expect(shares.map(({ amount, isOfCart }) => [amount, isOfCart])).toEqual([
    [-1000, true],
    [-1000, false],
    [-2000, true],
  ])
})

test.for<[higher: number, lower: number, shares: readonly number[]]>([
  [20, 10, [-2000, -800]],
  [10, 20, [-1000, -1800]],
])('%d %% and then %d %% are the same total in other shares', ([higher, lower, shares]) => {
  const off = (percent: number, priority: number) =>
    rule({ actions: [action('cart_discount', ['percent', percent])] }, { priority })
  const evaluation = run([line('A', 10000, 1)], [off(lower, 1), off(higher, 2)])
  expect(evaluation.shares.map(({ amount }) => amount)).toEqual(shares)
})

test('rules without a priority apply newest first', () => {
  const tenth = rule({ actions: [cartTenth] })
  const fifth = rule({ actions: [action('cart_discount', ['percent', 20])] })
  expect(run([line('A', 10000, 1)], [tenth, fifth]).shares.map(({ amount }) => amount)).toEqual([-2000, -800])
})

test('other work may run between the promotions, and between the effects of one', () => {
  const twenty = rule({ actions: Array.from({ length: 20 }, () => cartTenth) })
  const steps = [...evaluate(cartOf([line('A', 10000, 1)]), [twenty, twenty], [])]
  expect(steps.length).toBeGreaterThanOrEqual(40)
})
