import { expect, test } from 'vitest'
import type { DiscountCart, DiscountLine, RuleAction, RuleNode } from '../../server/discounts/index.ts'
import { line, offsOf, rule, run, standard, verdictsOf } from './carts.ts'

/** The worked examples of rule promotions, and each strategy. */

const node = (strategy: string, operator: string, ...args: unknown[]): RuleNode => ({
  strategy,
  operator,
  args,
})
const within = (parent: RuleNode, ...children: RuleNode[]): RuleNode => ({ ...parent, children })
const all = (...children: RuleNode[]): RuleNode => ({ strategy: 'and', children })
const any = (...children: RuleNode[]): RuleNode => ({ strategy: 'or', children })
const bundle = (...children: RuleNode[]): RuleNode => ({ strategy: 'items_bundle', children })
const some = (quantity: number, ...skus: string[]) =>
  all(node('item_sku', 'in', ...skus), node('item_quantity', 'eq', quantity))

const action = (strategy: string, args: RuleAction['args'], more: Partial<RuleAction> = {}): RuleAction => ({
  ...{ strategy, args },
  ...more,
})
const itemHalf = action('item_discount', ['percent', 50])
const cartTenth = action('cart_discount', ['percent', 10])

/** Which lines an item discount without a condition is for. Undefined: the rules are not met. */
function found(
  rules: RuleNode | readonly RuleNode[],
  lines: readonly DiscountLine[],
  more: Partial<DiscountCart> = {},
) {
  const evaluation = run(lines, [rule({ rules, actions: [itemHalf] })], [], more)
  const [verdict] = verdictsOf(evaluation)
  return verdict === 'condition_unmet' ? undefined : Object.keys(offsOf(evaluation))
}

const shoe = line('shoe', 8000, 1, {
  nodeIds: ['wear', 'shoes'],
  attributes: { 'products(wear)': { brand: 'EP', sizes: [40, 41], since: '2026-01-01' } },
  customAttributes: { engraved: { type: 'boolean', value: true } },
  catalogId: 'C',
})
const sock = line('sock', 500, 4, { nodeIds: ['wear'], catalogId: 'C' })
const note = line('note', 100, 1, { kind: 'custom_item', productId: undefined })
const cart = [shoe, sock, note]

test.for<[title: string, rules: RuleNode | readonly RuleNode[], lines: readonly string[] | undefined]>([
  ['no rules', [], ['shoe', 'sock', 'note']],
  ['item_sku in', node('item_sku', 'in', 'shoe', 'hat'), ['shoe']],
  ['item_sku in, of a custom item', node('item_sku', 'in', 'note'), ['note']],
  ['item_sku in, of none', node('item_sku', 'in', 'hat'), undefined],
  ['item_sku nin', node('item_sku', 'nin', 'shoe'), ['sock', 'note']],
  ['item_sku nin, of all', node('item_sku', 'nin', 'shoe', 'sock', 'note'), undefined],
  ['item_product_id in', node('item_product_id', 'in', 'id-sock'), ['sock']],
  [
    'item_product_id nin, of an item without one',
    node('item_product_id', 'nin', 'id-sock', 'id-shoe'),
    ['note'],
  ],
  [
    'item_identifier in',
    node('item_identifier', 'in', { skus: ['shoe'], ids: ['id-sock'] }),
    ['shoe', 'sock'],
  ],
  ['item_identifier nin', node('item_identifier', 'nin', { skus: ['shoe'], ids: ['id-sock'] }), ['note']],
  ['item_category in', node('item_category', 'in', 'wear'), ['shoe', 'sock']],
  ['item_category nin', node('item_category', 'nin', 'shoes'), ['sock', 'note']],
  ['item_attribute in', node('item_attribute', 'in', 'products(wear)', 'brand', 'string', 'EP'), ['shoe']],
  [
    'item_attribute in, of a list',
    node('item_attribute', 'in', 'products(wear)', 'sizes', 'integer', 41),
    ['shoe'],
  ],
  [
    'item_attribute in, of a day',
    node('item_attribute', 'in', 'products(wear)', 'since', 'date', '2026-01-01T00:00:00Z'),
    ['shoe'],
  ],
  [
    'item_attribute nin',
    node('item_attribute', 'nin', 'products(wear)', 'brand', 'string', 'EP'),
    ['sock', 'note'],
  ],
  ['item_custom_attribute eq', node('item_custom_attribute', 'eq', 'engraved', 'boolean', true), ['shoe']],
  [
    'item_custom_attribute nin',
    node('item_custom_attribute', 'nin', 'engraved', 'boolean', true),
    ['sock', 'note'],
  ],
  ['item_price gte', node('item_price', 'gte', 500), ['shoe', 'sock']],
  ['item_price lt', node('item_price', 'lt', 500), ['note']],
  ['item_price ne', node('item_price', 'ne', 500), ['shoe', 'note']],
  ['item_quantity eq', node('item_quantity', 'eq', 4), ['sock']],
  ['item_quantity gt, of each line', node('item_quantity', 'gt', 4), undefined],
  ['a child narrows', within(node('item_category', 'in', 'wear'), node('item_sku', 'nin', 'shoe')), ['sock']],
  [
    'children look at the lines of their parent: a total, then the lines',
    within(
      node('item_category', 'in', 'wear'),
      node('cart_total', 'eq', 10000),
      node('item_sku', 'in', 'sock'),
    ),
    ['sock'],
  ],
  [
    'children look at the lines of their parent: the lines, then a total',
    within(
      node('item_category', 'in', 'wear'),
      node('item_sku', 'in', 'sock'),
      node('cart_total', 'eq', 10000),
    ),
    ['sock'],
  ],
  [
    'a child that no line meets',
    within(node('item_category', 'in', 'shoes'), node('item_sku', 'in', 'sock')),
    undefined,
  ],
  [
    'and: the lines that all find',
    all(node('item_category', 'in', 'wear'), node('item_sku', 'nin', 'shoe')),
    ['sock'],
  ],
  [
    'and: of different lines none is left',
    all(node('item_sku', 'in', 'shoe'), node('item_sku', 'in', 'sock')),
    [],
  ],
  ['a list stands for and', [node('item_category', 'in', 'wear'), node('item_sku', 'nin', 'shoe')], ['sock']],
  [
    'or: the lines that any finds',
    any(node('item_sku', 'in', 'shoe'), node('item_sku', 'in', 'sock')),
    ['shoe', 'sock'],
  ],
  [
    'or: an unmet child finds nothing',
    any(all(node('cart_total', 'gt', 99999), node('item_sku', 'in', 'shoe')), node('item_sku', 'in', 'sock')),
    ['sock'],
  ],
  [
    'or: a total says nothing about lines',
    any(node('cart_total', 'gt', 1), node('item_sku', 'in', 'sock')),
    ['shoe', 'sock', 'note'],
  ],
  ['cart_total eq', node('cart_total', 'eq', 10100), ['shoe', 'sock', 'note']],
  ['cart_total lt', node('cart_total', 'lt', 10100), undefined],
  [
    'cart_total range includes both ends',
    node('cart_total', 'range', 10100, 20000),
    ['shoe', 'sock', 'note'],
  ],
  ['cart_total range', node('cart_total', 'range', 0, 10099), undefined],
  [
    'cart_total of the lines that children find',
    within(node('cart_total', 'eq', 2100), node('item_sku', 'nin', 'shoe')),
    ['shoe', 'sock', 'note'],
  ],
  ['account_tags contains_all', node('account_tags', 'contains_all', 'vip', 'new'), ['shoe', 'sock', 'note']],
  ['account_tags contains_any', node('account_tags', 'contains_any', 'old', 'odd'), undefined],
  ['account_tags not_contains_any', node('account_tags', 'not_contains_any', 'old', 'vip'), undefined],
  [
    'account_tags not_contains_all',
    node('account_tags', 'not_contains_all', 'old', 'vip'),
    ['shoe', 'sock', 'note'],
  ],
  [
    'cart_custom_attribute in',
    node('cart_custom_attribute', 'in', 'level', 'string', 'gold', 'silver'),
    ['shoe', 'sock', 'note'],
  ],
  [
    'cart_custom_attribute in, of another type',
    node('cart_custom_attribute', 'in', 'visits', 'string', '5'),
    undefined,
  ],
  ['cart_custom_attribute nin', node('cart_custom_attribute', 'nin', 'level', 'string', 'gold'), undefined],
  [
    'cart_custom_attribute nin, of none',
    node('cart_custom_attribute', 'nin', 'other', 'string', 'gold'),
    ['shoe', 'sock', 'note'],
  ],
  [
    'cart_custom_attribute gt',
    node('cart_custom_attribute', 'gt', 'visits', 'integer', 4),
    ['shoe', 'sock', 'note'],
  ],
  ['cart_custom_attribute gte', node('cart_custom_attribute', 'gte', 'visits', 'integer', 6), undefined],
  [
    'cart_custom_attribute lte',
    node('cart_custom_attribute', 'lte', 'visits', 'integer', 5),
    ['shoe', 'sock', 'note'],
  ],
  [
    'cart_custom_attribute gt, with decimals',
    node('cart_custom_attribute', 'gt', 'score', 'float', 75.5),
    ['shoe', 'sock', 'note'],
  ],
  [
    'cart_custom_attribute lt, of none',
    node('cart_custom_attribute', 'lt', 'other', 'integer', 6),
    undefined,
  ],
  ['items_bundle', bundle(some(1, 'shoe'), some(3, 'sock')), ['shoe', 'sock']],
  ['items_bundle, incomplete', bundle(some(2, 'shoe'), some(3, 'sock')), undefined],
  ['items_bundle, of a unit for two groups', bundle(some(1, 'shoe'), some(1, 'shoe')), undefined],
])('%s', ([, rules, lines]) => {
  const attributes: DiscountCart['customAttributes'] = {
    level: { type: 'string', value: 'gold' },
    visits: { type: 'integer', value: 5 },
    score: { type: 'float', value: 75.6 },
  }
  expect(found(rules, cart, { accountTags: ['vip', 'new'], customAttributes: attributes })).toEqual(lines)
})

test('an id stands for the children of the product', () => {
  const child = line('shoe-M', 8000, 1, { parentProductId: 'id-shoe' })
  expect(found(node('item_identifier', 'in', { ids: ['id-shoe'] }), [child])).toEqual(['shoe-M'])
  expect(found(node('item_product_id', 'in', 'id-shoe'), [child])).toBeUndefined()
})

test('with catalogs, items of others and custom items never take part', () => {
  const rules = { catalog_ids: ['C'], rules: node('cart_total', 'lte', 10000), actions: [cartTenth] }
  expect(offsOf(run([...cart, line('other', 1, 1, { catalogId: 'D' })], [rule(rules)]))).toEqual({
    shoe: -800,
    sock: -200,
  })
})

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

test('a tree that is too deep, or says what no one knows, is refused', () => {
  const deep = (levels: number): RuleNode => (levels ? all(deep(levels - 1)) : node('item_sku', 'in', 'A'))
  const compile = (rules: RuleNode) => () => rule({ rules, actions: [cartTenth] })
  expect(compile(deep(9))).not.toThrow()
  expect(compile(deep(10))).toThrow('deeper')
  expect(compile(node('item_colour', 'in', 'A'))).toThrow('unknown strategy')
  expect(compile(node('item_sku', 'eq', 'A'))).toThrow('in or nin')
  expect(() => rule({ actions: [action('gift', ['fixed', 1])] })).toThrow('unknown strategy')
})
