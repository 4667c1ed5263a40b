import fc from 'fast-check'
import type { StandardDocument } from '../../../../server/promotions/discounts/standard/standard-document.ts'
import { amounts, catalogs, currencies, instants, percents, rarely, someProducts } from './carts.ts'

/** Any standard promotions, of all types. */

const inSome = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof(
    { arbitrary: value.map((one) => currencies.map((currency) => ({ ...one, currency }))), weight: 15 },
    value.map((one) => [{ ...one, currency: 'USD' }]),
  )
const ofAmounts = inSome(fc.record({ amount: amounts }))
const ofPercents = inSome(fc.record({ percentage: percents }))

const brand = fc.record({
  template: fc.constantFrom('products(wear)', 'products(toys)'),
  field: fc.constantFrom('brand', 'brand', 'sizes'),
  type: fc.constant('string'),
  value: fc.constantFrom<unknown>('EP', ['EP', 'NW'], 40),
})
const nodes = fc.subarray(['wear', 'shoes', 'toys'], { minLength: 1 })
const conditions = fc.record({
  or: fc.array(
    fc.record({
      and: fc.array(
        fc.oneof(
          nodes.map((values) => ({ node: { values } })),
          brand.map((attribute) => ({ attribute })),
        ),
        { maxLength: 2 },
      ),
    }),
    { minLength: 1, maxLength: 2 },
  ),
})

const targets = fc.oneof(
  { arbitrary: fc.constant({ targets: ['all'] }), weight: 4 },
  { arbitrary: someProducts.map((skus) => ({ targets: skus })), weight: 3 },
  someProducts.map((skus) => ({ targets: skus.map((sku) => `id-${sku}`) })),
  nodes.map((ids) => ({ target_nodes: ids })),
  brand.map((one) => ({ target_attributes: [one] })),
  brand.map((attribute) => ({ target_attributes: [{ attribute }] })),
  conditions.map((target_conditions) => ({ target_conditions })),
)
const excludes = fc.record(
  {
    targets: someProducts,
    nodes,
    attributes: brand.map((one) => [one]),
    conditions,
  },
  { requiredKeys: [] },
)
const exclude = rarely(excludes, 3).map((one) => (one ? { exclude: one } : {}))
const inCatalogs = rarely(fc.subarray([...catalogs], { minLength: 1 }), 4).map((ids) =>
  ids ? { target_catalogs: ids } : {},
)
const requirements = fc.array(
  fc.record({ targets: someProducts, quantity: fc.integer({ min: 1, max: 3 }) }),
  { minLength: 1, maxLength: 3 },
)

/** The schema of a type, with the members of these. */
const typed = (promotion_type: string, ...parts: readonly fc.Arbitrary<object>[]) =>
  fc.tuple(...parts).map((all) => ({ promotion_type, schema: Object.assign({}, ...all) as object }))
const member = (name: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<object> =>
  value.map((one) => ({ [name]: one }))

const amountsOf = member('currencies', ofAmounts)
const size = fc.integer({ min: 1, max: 4 })

const types = fc.oneof(
  typed('fixed_discount', amountsOf, exclude, inCatalogs),
  typed('percent_discount', member('currencies', ofPercents), exclude, inCatalogs),
  typed('item_fixed_discount', amountsOf, targets, exclude, inCatalogs),
  typed('item_percent_discount', member('percent', percents), targets, exclude, inCatalogs),
  typed('item_percent_discount', member('currencies', ofPercents), targets, exclude),
  typed('x_for_y', member('x', size), member('y', size), targets, exclude, inCatalogs),
  typed('x_for_amount', member('x', size), amountsOf, targets, exclude),
  typed('bundle_fixed_discount', member('requirements', requirements), amountsOf, inCatalogs),
  typed(
    'bundle_gift',
    member('requirements', requirements),
    member('gifts', someProducts),
    member('auto_add_free_gift', fc.boolean()),
    inCatalogs,
  ),
)

const isMostlyTrue = fc.integer({ min: 0, max: 40 }).map((n) => n !== 7)

/** What documents of both kinds say. */
export const anyTimes = {
  enabled: isMostlyTrue,
  automatic: fc.constantFrom(true, true, false),
  start: fc.oneof({ arbitrary: fc.constant('2026-01-01'), weight: 60 }, instants),
  end: fc.oneof({ arbitrary: fc.constant('2027-01-01'), weight: 60 }, instants),
}

export const anyStandard = fc
  .record({
    typed: types,
    ...anyTimes,
    min_cart_value: rarely(ofAmounts, 5),
    max_discount_value: rarely(ofAmounts),
    max_applications_per_cart: rarely(fc.nat(3)),
  })
  .map(({ typed, ...more }) => ({ ...typed, ...more }) as Omit<StandardDocument, 'id' | 'name'>)
