import { expect, test } from 'vitest'
import type { Promotion } from '../../../server/promotions/discounts/promotion.ts'
import type { DiscountCart, EnteredCode, PromotionVerdict } from '../../../server/promotions/index.ts'
import {
  at,
  codeOf,
  line,
  offsOf,
  rule,
  run,
  standard,
  usd,
  verdictsOf,
} from '../../builders/promotions/discounts.ts'

/** Why promotions take nothing: gates, codes, stacking. */

const off = (amount: number) => [{ strategy: 'cart_discount', args: ['fixed', amount] }] as const
const cart = [line('A', 10000, 2)]
const fixed = (more: object = {}) => standard('fixed_discount', { currencies: usd(100) }, more)
const all = { targets: ['all'] }
const verdictOf = (
  promotion: Promotion,
  codes: readonly EnteredCode[] = [],
  more: Partial<DiscountCart> = {},
) => run(cart, [promotion], codes, more).verdicts[0]

test.for<[promotion: Promotion, cart: Partial<DiscountCart>, verdict: object]>([
  [fixed(), { usesCustomDiscounts: true }, { verdict: 'custom_discounts_used' }],
  [rule({ actions: off(1) }), { usesRulePromotions: false }, { verdict: 'rule_promotions_not_used' }],
  [rule({ actions: off(1) }), { calculationMethod: 'simple' }, { verdict: 'simple_calculation' }],
  [fixed({ enabled: false }), {}, { verdict: 'disabled' }],
  [
    fixed({ start: '2026-06-01T12:00:01Z' }),
    {},
    { verdict: 'not_started', needs: '2026-06-01T12:00:01.000Z' },
  ],
  [fixed({ start: '2026-06-01 12:00' }), {}, { verdict: 'applied' }],
  [fixed({ end: '2026-06-01T12:00:00Z' }), {}, { verdict: 'ended', has: '2026-06-01T12:00:00.000Z' }],
  [fixed({ end: '2026-06-02' }), {}, { verdict: 'applied', amount: -100, shipping: 0, uses: 0 }],
  [fixed({ automatic: false }), {}, { verdict: 'no_code_entered' }],
  [fixed(), { currency: 'EUR' }, { verdict: 'currency', needs: ['USD'], has: 'EUR' }],
  [rule({ currencies: ['CAD', 'USD'], actions: off(1) }), {}, { verdict: 'applied' }],
  [rule({ currencies: ['CAD'], actions: off(1) }), {}, { verdict: 'currency', needs: ['CAD'], has: 'USD' }],
  [
    fixed({ min_cart_value: { amount: 20001, currency: 'USD' } }),
    {},
    { verdict: 'below_minimum', needs: 20001, has: 20000 },
  ],
  [standard('item_percent_discount', { targets: ['B'], percent: 1 }), {}, { verdict: 'no_line_matches' }],
  [standard('x_for_y', { ...all, x: 3, y: 2 }), {}, { verdict: 'incomplete', needs: 3, has: 2 }],
  [standard('x_for_y', { ...all, x: 2, y: 2 }), {}, { verdict: 'no_saving' }],
  [standard('item_percent_discount', { ...all, percent: 0 }), {}, { verdict: 'no_saving' }],
  [
    standard('bundle_fixed_discount', {
      requirements: [
        { targets: ['A'], quantity: 1 },
        { targets: ['B'], quantity: 2 },
      ],
      currencies: usd(1),
    }),
    {},
    { verdict: 'incomplete', needs: 2, has: 0, group: 2 },
  ],
  [
    rule({ rules: { strategy: 'cart_total', operator: 'gt', args: [20000] }, actions: off(1) }),
    {},
    {
      verdict: 'condition_unmet',
      node: 'rules',
      strategy: 'cart_total',
      operator: 'gt',
      needs: [20000],
      has: 20000,
    },
  ],
  [
    rule({
      rules: [
        { strategy: 'item_sku', operator: 'in', args: ['A'] },
        { strategy: 'or', children: [{ strategy: 'item_quantity', operator: 'gte', args: [3] }] },
      ],
      actions: off(1),
    }),
    {},
    {
      verdict: 'condition_unmet',
      node: 'rules.1',
      has: [{ node: 'rules.1.children.0', needs: [3], has: [2] }],
    },
  ],
  [
    rule({
      actions: [
        {
          strategy: 'cart_discount',
          args: ['fixed', 1],
          condition: { strategy: 'item_price', operator: 'lt', args: [5] },
        },
      ],
    }),
    {},
    { verdict: 'condition_unmet', node: 'actions.0.condition', needs: [5], has: [10000] },
  ],
  [
    rule({ actions: [{ strategy: 'shipping_discount', args: ['percent', 100] }] }),
    {},
    { verdict: 'no_line_matches' },
  ],
])('%#: %o', ([promotion, more, verdict]) => {
  expect(verdictOf(promotion, [], more)).toMatchObject(verdict)
})

const guest = { email: 'ada@example.com', isNew: true }

test.for<
  [code: Partial<EnteredCode>, shopper: DiscountCart['shopper'], verdict: PromotionVerdict['verdict']]
>([
  [{}, {}, 'applied'],
  [{ usesLeft: 1 }, {}, 'applied'],
  [{ usesLeft: 0 }, {}, 'code_spent'],
  [{ users: ['c1', 'c2'] }, { customerId: 'c2' }, 'applied'],
  [{ users: ['Ada@Example.com'] }, guest, 'applied'],
  [{ users: ['c1'] }, { accountId: 'c1' }, 'code_of_another_shopper'],
  [{ users: ['c1'] }, {}, 'code_of_another_shopper'],
  [{ isForNewShopper: true }, guest, 'applied'],
  [{ isForNewShopper: true }, { customerId: 'c1', isNew: false }, 'needs_new_shopper'],
  [{ isForNewShopper: true }, {}, 'needs_contact_email'],
  [{ perShopper: { usesLeft: 1, includesGuests: false } }, { customerId: 'c1' }, 'applied'],
  [{ perShopper: { usesLeft: 1, includesGuests: false } }, guest, 'guests_excluded'],
  [{ perShopper: { usesLeft: 1, includesGuests: true } }, guest, 'applied'],
  [{ perShopper: { usesLeft: 1, includesGuests: true } }, {}, 'needs_contact_email'],
  [{ perShopper: { usesLeft: 0, includesGuests: true } }, guest, 'limit_per_shopper'],
])('a code %o for %o: %s', ([more, shopper, verdict]) => {
  const promotion = fixed({ automatic: false })
  expect(verdictOf(promotion, [codeOf(promotion, more)], { shopper })).toMatchObject({ verdict })
})

test('of several codes, the first that the shopper may use counts', () => {
  const promotion = fixed({ automatic: false })
  const codes = [
    codeOf(promotion, { code: 'OLD', usesLeft: 0 }),
    codeOf(promotion, { code: 'NEW' }),
    codeOf(promotion),
  ]
  const { shares, uses } = run(cart, [promotion], codes)
  expect(shares.map(({ cause }) => cause.code)).toEqual(['NEW'])
  expect(uses).toEqual([{ code: 'NEW', promotionId: promotion.id, uses: 1 }])
})

test('a code of several promotions triggers all of them', () => {
  const promotions = [fixed({ automatic: false }), rule({ actions: off(50) }, { automatic: false })]
  const codes = promotions.map((promotion) => codeOf(promotion))
  expect(run(cart, promotions, codes).uses).toHaveLength(2)
})

test('a code for applications pays for units, bundles and carts', () => {
  const usesOf = (actions: Parameters<typeof rule>[0]['actions'], usesLeft?: number) => {
    const promotion = rule({ actions }, { automatic: false })
    const evaluation = run(
      [line('A', 1000, 1), line('B', 1000, 4)],
      [promotion],
      [codeOf(promotion, { consumes: 'application', usesLeft })],
    )
    return [evaluation.uses[0]?.uses, offsOf(evaluation)]
  }
  const condition = {
    strategy: 'items_bundle',
    children: [
      {
        strategy: 'and',
        children: [
          { strategy: 'item_sku', operator: 'in', args: ['B'] },
          { strategy: 'item_quantity', operator: 'eq', args: [2] },
        ],
      },
    ],
  }
  const half = { strategy: 'item_discount', args: ['percent', 50] } as const
  const pair = { strategy: 'items_bundle_discount', args: ['fixed', 100], condition } as const
  expect(usesOf([half])).toEqual([5, { A: -500, B: -2000 }])
  expect(usesOf([half], 2)).toEqual([2, { A: -500, B: -500 }])
  expect(usesOf([pair])).toEqual([2, { B: -200 }])
  expect(usesOf([pair], 1)).toEqual([1, { B: -100 }])
  expect(usesOf([...off(10), half], 3)).toEqual([3, { A: -501, B: -507 }])
})

test('shoppers are told of currencies, stacking and spent codes', () => {
  const spent = fixed({ automatic: false, id: 'spent' })
  const foreign = standard(
    'fixed_discount',
    { currencies: [{ currency: 'EUR', amount: 1 }] },
    { id: 'foreign' },
  )
  const alone = rule({ actions: off(1) }, { stackable: false, priority: 1 })
  const behind = rule({ actions: off(1) }, { id: 'behind' })
  const { messages } = run(cart, [spent, foreign, alone, behind], [codeOf(spent, { usesLeft: 0 })])
  expect(messages.map(({ source, title }) => [source.id, source.code, title])).toEqual([
    ['spent', 'SAVE', 'Fully Consumed'],
    ['foreign', 'auto_foreign', 'currency mismatch'],
    ['behind', 'auto_behind', "Couldn't Stack Promotion"],
  ])
})

test('a code with too few uses left is not called used up', () => {
  const bundle = standard(
    'bundle_fixed_discount',
    { requirements: [{ targets: ['A'], quantity: 2 }], currencies: usd(100) },
    { automatic: false },
  )
  const { messages } = run(cart, [bundle], [codeOf(bundle, { consumes: 'application', usesLeft: 1 })])
  const description = 'The promotion takes 2 uses of the code, which has 1 left.'
  expect(messages).toMatchObject([{ title: 'Promotion Not Applied', description }])
})

type Flags = 'plain' | 'alone' | 'overrides' | 'alone and overrides'
const flags: Readonly<Record<Flags, object>> = {
  plain: {},
  alone: { stackable: false },
  overrides: { override_stacking: true },
  'alone and overrides': { stackable: false, override_stacking: true },
}

test.for<[higher: Flags, lower: Flags, stack: boolean]>([
  ['plain', 'plain', true],
  ['plain', 'alone', false],
  ['plain', 'overrides', true],
  ['plain', 'alone and overrides', false],
  ['alone', 'plain', false],
  ['alone', 'alone', false],
  ['alone', 'overrides', true],
  ['alone', 'alone and overrides', true],
  ['overrides', 'plain', true],
  ['overrides', 'alone', true],
  ['overrides', 'overrides', true],
  ['overrides', 'alone and overrides', false],
  ['alone and overrides', 'plain', false],
  ['alone and overrides', 'alone', true],
  ['alone and overrides', 'overrides', false],
  ['alone and overrides', 'alone and overrides', false],
])('%s, then %s: %s', ([higher, lower, stack]) => {
  const promotions = [
    rule({ actions: off(1) }, { ...flags[higher], priority: 90, id: 'higher' }),
    rule({ actions: off(1) }, { ...flags[lower], priority: 60, id: 'lower' }),
  ]
  const { verdicts } = run(cart, promotions)
  expect(verdicts).toMatchObject([
    { verdict: 'applied' },
    stack ? { verdict: 'applied' } : { verdict: 'not_stackable', behind: ['higher'] },
  ])
})

test('standard promotions stack with any rule', () => {
  const alone = rule({ actions: off(1) }, { stackable: false })
  expect(verdictsOf(run(cart, [fixed(), alone]))).toEqual(['applied', 'applied'])
})

test('a promotion that takes nothing blocks no other', () => {
  const nothing = rule({ actions: off(0) }, { stackable: false, priority: 2 })
  const other = rule({ actions: off(1) }, { priority: 1 })
  expect(verdictsOf(run(cart, [nothing, other]))).toEqual(['no_saving', 'applied'])
})

test('a promotion is outdone where older ones took all units', () => {
  const older = standard('item_fixed_discount', { ...all, currencies: usd(1) }, { id: 'older' })
  const newer = standard('item_percent_discount', { ...all, percent: 50 })
  expect(run(cart, [older, newer]).verdicts[1]).toMatchObject({ verdict: 'outdone', by: ['older'] })
})

test.for<[title: string, quantities: readonly number[], price: number, usesLeft: number, verdict: object]>([
  ['no line is in it', [0, 1], 0, 9, { verdict: 'no_line_matches' }],
  ['there are too few units, with and without the older promotion', [3, 1], 0, 9, { verdict: 'incomplete' }],
  ['an older promotion took what it needs', [4, 1], 0, 9, { verdict: 'outdone', by: ['older'] }],
  ['it costs more than its units, and the code is too small', [9, 1], 50000, 1, { verdict: 'no_saving' }],
  ['only the code is too small', [9, 1], 0, 1, { verdict: 'code_spent', needs: 4, has: 1 }],
])('a bundle takes nothing: %s', ([, [quantity = 0, others = 0], price, usesLeft, verdict]) => {
  const older = standard(
    'item_fixed_discount',
    { targets: ['A'], currencies: usd(1) },
    { id: 'older', max_applications_per_cart: 1 },
  )
  const requirements = [
    { targets: ['A'], quantity: 2 },
    { targets: ['A'], quantity: 2 },
  ]
  const bundle = standard(
    'bundle_fixed_discount',
    { requirements, currencies: usd(price) },
    { automatic: false },
  )
  const lines = [...(quantity ? [line('A', 1000, quantity)] : []), line('B', 1000, others)]
  const code = codeOf(bundle, { consumes: 'application', usesLeft })
  expect(run(lines, [older, bundle], [code]).verdicts[1]).toMatchObject(verdict)
})

test('nothing is left of a cart that is free already', () => {
  const free = fixed({ id: 'free' })
  const verdicts = run([line('A', 100, 1)], [free, fixed()]).verdicts.map(({ verdict }) => verdict)
  expect(verdicts).toEqual(['applied', 'nothing_left'])
})

test('an evaluation holds until the next promotion starts or ends', () => {
  const until = (...promotions: Promotion[]) => run(cart, promotions).holdsUntil?.toISOString()
  expect(until()).toBeUndefined()
  expect(until(fixed(), fixed({ start: '2026-07-01' }))).toBe('2026-07-01T00:00:00.000Z')
  expect(until(fixed({ end: '2026-06-03' }), fixed({ enabled: false, end: '2026-06-02' }))).toBe(
    '2026-06-03T00:00:00.000Z',
  )
  expect(until(fixed({ end: at.toISOString() }))).toBeUndefined()
})
