import fc from 'fast-check'
import type {
  RuleAction,
  RuleDocument,
  RuleNode,
} from '../../../../server/promotions/discounts/rules/rule-document.ts'
import { amounts, catalogs, currencies, percents, rarely, someProducts } from './carts.ts'
import { anyTimes } from './standard.ts'

/** Any rule promotions, of all strategies, operators, actions and limitations. */

const node = (strategy: string, operators: readonly string[], args: fc.Arbitrary<readonly unknown[]>) =>
  fc
    .tuple(fc.constantFrom(...operators), args)
    .map(([operator, all]): RuleNode => ({ strategy, operator, args: all }))

const compared = ['gte', 'gt', 'lte', 'lt', 'eq']
const listed = ['in', 'nin']
const one = <T>(value: fc.Arbitrary<T>) => value.map((only) => [only])
const ids = someProducts.map((skus) => skus.map((sku) => `id-${sku}`))

const customValues = fc.oneof(
  fc.constantFrom<readonly unknown[]>(
    ['level', 'string', 'gold'],
    ['level', 'string', '2', 'gold'],
    ['level', 'integer', 2],
    ['engraved', 'boolean', true],
    ['score', 'float', 1.25, 3.5],
    ['other', 'string', 'x'],
  ),
)
const comparedValues = fc.oneof(
  fc.tuple(
    fc.constant('eq'),
    fc.constantFrom<readonly unknown[]>(
      ['level', 'string', 'gold'],
      ['engraved', 'boolean', false],
      ['score', 'integer', 1],
    ),
  ),
  fc.tuple(
    fc.constantFrom('gt', 'lt', 'gte', 'lte'),
    fc.constantFrom<readonly unknown[]>(['level', 'integer', 2], ['score', 'integer', 0]),
  ),
  fc.tuple(
    fc.constantFrom('gt', 'lt'),
    fc.constantFrom<readonly unknown[]>(['score', 'float', 1.2], ['score', 'float', 1.25]),
  ),
)
const customAttribute = (strategy: string) =>
  fc.oneof(
    node(strategy, listed, customValues),
    comparedValues.map(([operator, args]): RuleNode => ({ strategy, operator, args })),
  )

const matchers = fc.oneof(
  { arbitrary: node('item_sku', listed, someProducts), weight: 3 },
  node('item_product_id', listed, ids),
  node('item_identifier', listed, one(fc.record({ skus: someProducts, ids }, { requiredKeys: [] }))),
  node('item_category', listed, fc.subarray(['wear', 'shoes', 'toys'], { minLength: 1 })),
  node(
    'item_attribute',
    listed,
    fc.constantFrom<readonly unknown[]>(
      ['products(wear)', 'brand', 'string', 'EP', 'NW'],
      ['products(wear)', 'sizes', 'integer', 41],
      ['products(wear)', 'weight', 'float', 1.5],
      ['products(toys)', 'washable', 'boolean', true],
      ['products(toys)', 'brand', 'integer', 1],
    ),
  ),
  node('item_price', [...compared, 'ne'], one(amounts)),
  customAttribute('item_custom_attribute'),
)
const ofItems = fc.oneof(matchers, node('item_quantity', [...compared, 'ne'], one(fc.nat(6))))

const tags = fc.subarray(['vip', 'new', 'old'], { minLength: 1 })
const totals = fc.oneof(
  node('cart_total', compared, one(fc.oneof(amounts, fc.nat(20_000)))),
  node(
    'cart_total',
    ['range'],
    fc.tuple(fc.nat(6000), fc.nat(20_000)).map(([from, more]) => [from, from + more]),
  ),
)
const ofCarts = fc.oneof(
  { arbitrary: totals, weight: 2 },
  node('account_tags', ['contains_all', 'contains_any', 'not_contains_any', 'not_contains_all'], tags),
  customAttribute('cart_custom_attribute'),
)

const group = fc.tuple(matchers, fc.constantFrom('eq', 'gte'), fc.integer({ min: 1, max: 3 })).map(
  ([matcher, operator, quantity]): RuleNode => ({
    strategy: 'and',
    children: [matcher, { strategy: 'item_quantity', operator, args: [quantity] }],
  }),
)
const bundles = fc
  .array(group, { minLength: 1, maxLength: 3 })
  .map((children): RuleNode => ({ strategy: 'items_bundle', children }))

const withChildren = (parents: fc.Arbitrary<RuleNode>, children: fc.Arbitrary<RuleNode>) =>
  fc
    .tuple(parents, fc.array(children, { minLength: 1, maxLength: 2 }))
    .map(([parent, all]): RuleNode => ({ ...parent, children: all }))
const joined = (children: fc.Arbitrary<RuleNode>) =>
  fc
    .tuple(fc.constantFrom('and', 'or'), fc.array(children, { minLength: 1, maxLength: 3 }))
    .map(([strategy, all]): RuleNode => ({ strategy, children: all }))

const leaves = fc.oneof({ arbitrary: ofItems, weight: 3 }, ofCarts)
const small = fc.oneof(leaves, joined(leaves), withChildren(ofItems, ofItems))
const trees = fc.oneof(
  leaves,
  bundles,
  joined(fc.oneof({ arbitrary: small, weight: 4 }, bundles)),
  withChildren(fc.oneof(ofItems, totals), small),
)
const rules = fc.oneof(
  { arbitrary: fc.constantFrom(undefined, null, []), weight: 2 },
  { arbitrary: trees, weight: 4 },
  fc.array(small, { minLength: 1, maxLength: 2 }),
)

const counts = fc.integer({ min: 1, max: 6 })
const limitations = rarely(
  fc.record(
    {
      max_discount: amounts,
      max_quantity: counts,
      items: fc.record(
        {
          max_items: fc.integer({ min: 1, max: 3 }),
          max_units: counts,
          price_strategy: fc.constantFrom('cheapest' as const, 'expensive' as const),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: [] },
  ),
  2,
)

type Args = RuleAction['args']
const fixed = amounts.map((amount): Args => ['fixed', amount])
const percent = percents.map((rate): Args => ['percent', rate])
const priced = amounts.map((amount): Args => ['fixed_price', amount])
const units = fc
  .tuple(fc.integer({ min: 1, max: 4 }), amounts)
  .map(([count, amount]): Args => ['fixed_price', count, amount])

const conditions = fc.oneof(ofItems, withChildren(ofItems, ofItems), joined(ofItems))
const shippingType = node('shipping_type', ['in'], fc.subarray(['ground', 'air'], { minLength: 1 }))
const action = (
  strategy: string,
  args: fc.Arbitrary<Args>,
  condition: fc.Arbitrary<RuleNode | readonly RuleNode[] | undefined>,
): fc.Arbitrary<RuleAction> => fc.record({ strategy: fc.constant(strategy), args, condition, limitations })

/** Buying some brings others: a discount of all, for products by name, and added without asking. */
const adding: fc.Arbitrary<RuleAction> = fc
  .record({
    quantity: rarely(counts, 2),
    skus: someProducts,
    items: fc.constantFrom({ auto_add: true }, { show_suggestions: true }),
  })
  .map(({ quantity, skus, items }) => ({
    ...{ strategy: 'item_discount', args: ['percent', 100] },
    condition: { strategy: 'item_identifier', operator: 'in', args: [{ skus }] },
    limitations: { ...(quantity && { max_quantity: quantity }), items },
  }))

const actions = fc.oneof(
  {
    arbitrary: action('cart_discount', fc.oneof(fixed, percent), rarely(fc.oneof(conditions, ofCarts), 2)),
    weight: 2,
  },
  { arbitrary: action('item_discount', fc.oneof(fixed, percent, units), rarely(conditions, 2)), weight: 4 },
  { arbitrary: action('items_bundle_discount', fc.oneof(fixed, percent, priced), bundles), weight: 2 },
  action('shipping_discount', fc.oneof(fixed, percent, priced), rarely(shippingType, 2)),
  adding,
)

const ruleSet = fc.record({
  catalog_ids: fc.oneof(
    { arbitrary: fc.constantFrom(undefined, null, []), weight: 5 },
    fc.subarray([...catalogs], { minLength: 1 }),
  ),
  currencies: fc.oneof(
    { arbitrary: fc.constantFrom(undefined, null, []), weight: 5 },
    fc.subarray([...currencies], { minLength: 1 }),
  ),
  rules,
  actions: fc.array(actions, { minLength: 1, maxLength: 3 }),
})

export const anyRule = fc
  .record({
    rule_set: ruleSet,
    ...anyTimes,
    priority: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined, freq: 2 }),
    stackable: fc.constantFrom(undefined, true, true, false),
    override_stacking: fc.constantFrom(undefined, false, true),
  })
  .map((document) => document as Omit<RuleDocument, 'id' | 'name'>)
