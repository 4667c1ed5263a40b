import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Promotion } from '../../../server/promotions/discounts/promotion.ts'
import type { RuleAction, RuleNode } from '../../../server/promotions/discounts/rules/rule-document.ts'
import type { DiscountLine, Evaluation } from '../../../server/promotions/index.ts'
import { codeOf, line, offsOf, rule, run, standard } from '../../builders/promotions/discounts.ts'
import { tries } from '../../support/long.ts'

/** What holds for any cart and any promotions. */

const names = ['A', 'B', 'C', 'D'] as const
const prices = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 30_000 }))
const quantities = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 1_000_000 }))
const amounts = fc.integer({ min: 0, max: 20_000 })
const percents = fc.oneof(fc.integer({ min: 0, max: 100 }), fc.constantFrom(0.000001, 12.5, 33.333333, 99.9))

const lines = fc
  .array(
    fc.record({ name: fc.constantFrom(...names), price: prices, quantity: quantities, added: fc.nat(3) }),
    {
      maxLength: 6,
    },
  )
  .map((all): readonly DiscountLine[] =>
    all.map(({ name, price, quantity, added }, index) =>
      line(`${name}#${index}`, price, quantity, {
        autoAdded: Math.min(added, quantity),
        nodeIds: [`in-${name}`],
      }),
    ),
  )

const targets = fc
  .subarray([...names], { minLength: 1 })
  .map((some) => ({ targets: some.length === names.length ? ['all'] : some }))
const usd = (amount: number) => [{ amount, currency: 'USD' }]
const requirements = fc.array(
  fc.record({ targets: fc.subarray([...names], { minLength: 1 }), quantity: fc.integer({ min: 1, max: 4 }) }),
  { minLength: 1, maxLength: 3 },
)

const standards = fc
  .tuple(
    fc.oneof(
      amounts.map((amount) => ['fixed_discount', { currencies: usd(amount) }] as const),
      percents.map(
        (percentage) => ['percent_discount', { currencies: [{ percentage, currency: 'USD' }] }] as const,
      ),
      fc
        .tuple(targets, amounts)
        .map(([to, amount]) => ['item_fixed_discount', { ...to, currencies: usd(amount) }] as const),
      fc
        .tuple(targets, percents)
        .map(([to, percent]) => ['item_percent_discount', { ...to, percent }] as const),
      fc
        .tuple(targets, fc.integer({ min: 1, max: 5 }), fc.nat(5))
        .map(([to, x, y]) => ['x_for_y', { ...to, x, y }] as const),
      fc
        .tuple(targets, fc.integer({ min: 1, max: 5 }), amounts)
        .map(([to, x, amount]) => ['x_for_amount', { ...to, x, currencies: usd(amount) }] as const),
      fc
        .tuple(requirements, amounts)
        .map(
          ([each, amount]) =>
            ['bundle_fixed_discount', { requirements: each, currencies: usd(amount) }] as const,
        ),
      fc
        .tuple(requirements, fc.subarray([...names], { minLength: 1 }), fc.boolean())
        .map(
          ([each, gifts, auto]) =>
            ['bundle_gift', { requirements: each, gifts, auto_add_free_gift: auto }] as const,
        ),
    ),
    fc.record({
      automatic: fc.boolean(),
      max_applications_per_cart: fc.nat(3),
      max_discount_value: fc.option(amounts.map(usd), { nil: undefined }),
      min_cart_value: fc.option(amounts.map(usd), { nil: undefined }),
    }),
  )
  .map(([[type, schema], more]) => standard(type, schema, more))

const matchers = fc.oneof(
  fc
    .tuple(fc.constantFrom('in', 'nin'), fc.subarray([...names], { minLength: 1 }))
    .map(([operator, args]): RuleNode => ({ strategy: 'item_sku', operator, args })),
  fc
    .tuple(fc.constantFrom('gte', 'lt', 'ne'), amounts)
    .map(([operator, amount]): RuleNode => ({ strategy: 'item_price', operator, args: [amount] })),
  fc
    .constantFrom(...names)
    .map((name): RuleNode => ({ strategy: 'item_category', operator: 'in', args: [`in-${name}`] })),
)
const bundles = requirements.map(
  (each): RuleNode => ({
    strategy: 'items_bundle',
    children: each.map(({ targets, quantity }) => ({
      strategy: 'and',
      children: [
        { strategy: 'item_sku', operator: 'in', args: targets },
        { strategy: 'item_quantity', operator: 'eq', args: [quantity] },
      ],
    })),
  }),
)
const trees: fc.Arbitrary<RuleNode> = fc.oneof(
  matchers,
  bundles,
  amounts.map((amount): RuleNode => ({ strategy: 'cart_total', operator: 'gte', args: [amount] })),
  fc
    .tuple(fc.constantFrom('and', 'or'), fc.array(matchers, { minLength: 1, maxLength: 3 }))
    .map(([strategy, children]): RuleNode => ({ strategy, children })),
)
const limitations = fc.record(
  {
    max_discount: amounts,
    max_quantity: fc.integer({ min: 1, max: 5 }),
    items: fc.record(
      {
        max_items: fc.integer({ min: 1, max: 3 }),
        max_units: fc.integer({ min: 1, max: 9 }),
        price_strategy: fc.constantFrom('cheapest' as const, 'expensive' as const),
        auto_add: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
)
const args = fc.oneof(
  amounts.map((amount): RuleAction['args'] => ['fixed', amount]),
  percents.map((rate): RuleAction['args'] => ['percent', rate]),
)
const actions: fc.Arbitrary<RuleAction> = fc.oneof(
  fc.record({ strategy: fc.constant('cart_discount'), args, condition: fc.option(matchers), limitations }),
  fc.record({
    strategy: fc.constant('item_discount'),
    args: fc.oneof(
      args,
      fc
        .tuple(fc.integer({ min: 1, max: 4 }), amounts)
        .map(([count, amount]): RuleAction['args'] => ['fixed_price', count, amount]),
    ),
    condition: fc.option(matchers),
    limitations,
  }),
  fc.record({
    strategy: fc.constant('items_bundle_discount'),
    args: fc.oneof(
      args,
      amounts.map((amount): RuleAction['args'] => ['fixed_price', amount]),
    ),
    condition: bundles,
    limitations,
  }),
)
const rules = fc
  .tuple(
    fc.record({ rules: trees, actions: fc.array(actions, { minLength: 1, maxLength: 2 }) }),
    fc.record({
      automatic: fc.boolean(),
      priority: fc.option(fc.integer({ min: 1, max: 1_000_000 }), { nil: undefined }),
      stackable: fc.boolean(),
      override_stacking: fc.boolean(),
    }),
  )
  .map(([set, more]) => rule(set, more))

const promotions = fc.array(fc.oneof(standards, rules), { maxLength: 6 })
const limits = fc.record({
  consumes: fc.constantFrom('checkout' as const, 'application' as const),
  usesLeft: fc.option(fc.nat(5), { nil: undefined }),
  isRepeated: fc.boolean(),
})

const codesFor = (all: readonly Promotion[], more: object) =>
  all.filter(({ isAutomatic }) => !isAutomatic).map((promotion) => codeOf(promotion, more))

/** The differences that the order of the input may make: none. */
const comparable = ({ messages, verdicts, ...rest }: Evaluation) => ({ messages, verdicts, ...rest })

const runs = { numRuns: tries(400, 4000) }

test('discounts are what shares and verdicts say, and leave no price below 0', () => {
  fc.assert(
    fc.property(lines, promotions, limits, (cart, all, limit) => {
      const evaluation = run(cart, all, codesFor(all, limit))
      const { shares, verdicts, uses } = evaluation
      for (const { lineId, amount, cause } of shares) {
        expect(Number.isSafeInteger(amount) && amount <= 0 && !Object.is(amount, -0)).toBe(true)
        expect([cart.some(({ id }) => id === lineId), all.some(({ id }) => id === cause.id)]).toEqual([
          true,
          true,
        ])
      }
      for (const [id, off] of Object.entries(offsOf(evaluation))) {
        const { unitPrice = 0, quantity = 0 } = cart.find((one) => one.id === id) ?? {}
        expect(-off).toBeLessThanOrEqual(unitPrice * quantity)
      }
      expect(verdicts.map(({ id }) => id).sort()).toEqual(all.map(({ id }) => id).sort())
      for (const verdict of verdicts) {
        const taken = shares.filter(({ cause }) => cause.id === verdict.id)
        const total = taken.reduce((sum, { amount }) => sum + amount, 0)
        expect(total).toBe(verdict.verdict === 'applied' ? verdict.amount : 0)
      }
      if (limit.consumes === 'application') {
        for (const one of uses)
          expect(one.uses).toBeLessThanOrEqual(limit.usesLeft ?? Number.MAX_SAFE_INTEGER)
      }
    }),
    runs,
  )
})

test('the order of the promotions does not matter, and neither does a second evaluation', () => {
  fc.assert(
    fc.property(lines, promotions, limits, (cart, all, limit) => {
      const codes = codesFor(all, limit)
      const once = comparable(run(cart, all, codes))
      expect(comparable(run(cart, all, codes))).toEqual(once)
      expect(comparable(run(cart, all.toReversed(), codes.toReversed()))).toEqual(once)
    }),
    runs,
  )
})

test('a line that no promotion is for is untouched, and changes no other', () => {
  fc.assert(
    fc.property(lines, fc.array(standards, { maxLength: 5 }), (cart, all) => {
      const itemLevel = all.filter(({ lane, minimums }) => lane === 'item' && !minimums.size)
      const other = line('other', 500, 3, { kind: 'custom_item' })
      const before = offsOf(run(cart, itemLevel))
      expect(offsOf(run([...cart, other], itemLevel))).toEqual(before)
      expect(offsOf(run([other, ...cart], itemLevel))).toEqual(before)
    }),
    runs,
  )
})

test('one line of several units and as many lines of one unit get the same', () => {
  fc.assert(
    fc.property(prices, fc.integer({ min: 1, max: 12 }), amounts, (price, count, amount) => {
      const together = [line('A', price, count)]
      const apart = Array.from({ length: count }, (_, index) => line(`A#${index}`, price, 1))
      const same = [
        standard(
          'item_fixed_discount',
          { targets: ['A'], currencies: usd(amount) },
          { max_applications_per_cart: 3 },
        ),
        standard('bundle_gift', { requirements: [{ targets: ['A'], quantity: 2 }], gifts: ['A'] }),
        standard('bundle_fixed_discount', {
          requirements: [{ targets: ['A'], quantity: 3 }],
          currencies: usd(amount),
        }),
        standard('fixed_discount', { currencies: usd(amount) }),
      ]
      for (const promotion of same) {
        const totalOf = (cart: readonly DiscountLine[]) =>
          run(cart, [promotion]).shares.reduce((sum, share) => sum + share.amount, 0)
        expect(totalOf(together)).toBe(totalOf(apart))
      }
    }),
    runs,
  )
})

/** Promotions that add gifts, and some of items. They compete for the same units. */
const givers = fc.array(
  fc.oneof(
    { arbitrary: standards.filter(({ lane, isAutomatic }) => lane === 'item' && isAutomatic), weight: 1 },
    {
      arbitrary: fc
        .tuple(
          fc.array(
            fc.record({
              targets: fc.subarray([...names], { minLength: 1, maxLength: 2 }),
              quantity: fc.integer({ min: 1, max: 4 }),
            }),
            { minLength: 1, maxLength: 2 },
          ),
          fc.subarray([...names], { minLength: 1, maxLength: 2 }),
          fc.nat(3),
        )
        .map(([each, gifts, max]) =>
          standard(
            'bundle_gift',
            { requirements: each, gifts, auto_add_free_gift: true },
            { automatic: true, max_applications_per_cart: max },
          ),
        ),
      weight: 4,
    },
  ),
  { minLength: 1, maxLength: 5 },
)

type Lines = readonly DiscountLine[]

/** The cart without the units that no promotion gives. */
function keepGiven(cart: Lines, promotions: Promotion[]): Lines {
  const { giftsToRemove } = run(cart, promotions)
  if (!giftsToRemove.length) return cart
  const kept = cart.map((one) => {
    const { quantity = 0 } = giftsToRemove.find(({ lineId }) => lineId === one.id) ?? {}
    return { ...one, quantity: one.quantity - quantity, autoAdded: (one.autoAdded ?? 0) - quantity }
  })
  return keepGiven(
    kept.filter(({ quantity }) => quantity > 0),
    promotions,
  )
}

test('gifts that are added and removed as asked for are what the promotions want, after as many changes as promotions', () => {
  let n = 0
  fc.assert(
    fc.property(lines, givers, (cart, promotions) => {
      let kept = keepGiven(cart, promotions)
      for (let changes = 0; ; changes++) {
        const { giftsToAdd } = run(kept, promotions)
        if (!giftsToAdd.length) return
        expect(changes).toBeLessThan(promotions.length)
        const added = giftsToAdd.flatMap(({ gifts }) =>
          gifts.map(({ product, quantity }) =>
            line(`${product}#added-${n++}`, 70, quantity, { autoAdded: quantity }),
          ),
        )
        kept = keepGiven([...kept, ...added], promotions)
      }
    }),
    runs,
  )
})
