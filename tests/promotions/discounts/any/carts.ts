import fc from 'fast-check'
import type { CustomAttribute, DiscountCart, DiscountLine } from '../../../../server/promotions/index.ts'
import { at, cartOf, line } from '../../../builders/promotions/discounts.ts'

/** Any carts: few products and units, and small amounts, so that promotions meet and roundings are hit often. */

export const products = ['A', 'B', 'C', 'D'] as const
export const catalogs = ['summer', 'winter'] as const
/** One without decimals, one with two and one with three. */
export const currencies = ['JPY', 'USD', 'KWD'] as const

export const oneProduct = fc.constantFrom(...products)
export const someProducts = fc.subarray([...products], { minLength: 1, maxLength: 3 })
export const amounts = fc.oneof(fc.nat(40), fc.nat(3000), fc.constantFrom(0, 500, 999, 1000))
export const percents = fc.oneof(
  fc.constantFrom(0, 1, 10, 25, 50, 100),
  fc.constantFrom(0.000001, 12.5, 33.333333, 99.9),
)
/** Mostly absent. */
export const rarely = <T>(value: fc.Arbitrary<T>, weight = 3): fc.Arbitrary<T | undefined> =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight }, value)

/** Where the products are in the hierarchy, and what their template says. */
const facts = {
  A: { nodeIds: ['wear', 'shoes'], attributes: { 'products(wear)': { brand: 'EP', sizes: [40, 41] } } },
  B: { nodeIds: ['wear'], attributes: { 'products(wear)': { brand: 'NW', weight: 1.5 } } },
  C: { nodeIds: ['toys'], attributes: { 'products(toys)': { brand: 'EP', washable: true } } },
  D: { nodeIds: [], attributes: {}, parentProductId: 'id-A' },
} as const

const customAttributes: fc.Arbitrary<Readonly<Record<string, CustomAttribute>>> = fc.record(
  {
    level: fc.constantFrom(
      { type: 'string', value: 'gold' },
      { type: 'string', value: '2' },
      { type: 'integer', value: 2 },
    ),
    engraved: fc.boolean().map((value) => ({ type: 'boolean', value }) as const),
    score: fc.constantFrom({ type: 'float', value: 1.25 }, { type: 'integer', value: 1 }),
  },
  { requiredKeys: [] },
)

const anyLine = fc.record({
  product: oneProduct,
  unitPrice: amounts,
  quantity: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 9 })),
  autoAdded: fc.oneof({ arbitrary: fc.constant(0), weight: 5 }, fc.integer({ min: 1, max: 3 })),
  catalogId: fc.constantFrom(undefined, ...catalogs),
  kind: fc.constantFrom('cart_item', 'cart_item', 'cart_item', 'subscription_item', 'custom_item'),
  customAttributes,
})

export const anyLines: fc.Arbitrary<readonly DiscountLine[]> = fc
  .array(anyLine, { maxLength: 6, size: 'max' })
  .map((all) =>
    all.map(({ product, kind, unitPrice, quantity, autoAdded, catalogId, customAttributes }, i) =>
      kind === 'custom_item'
        ? line(`${product}#${i}`, unitPrice, quantity, { kind, productId: undefined, customAttributes })
        : line(`${product}#${i}`, unitPrice, quantity, {
            ...facts[product],
            ...{ kind, catalogId, customAttributes },
            autoAdded: Math.min(autoAdded, quantity),
          }),
    ),
  )

const shopper = fc.record(
  {
    customerId: fc.constant('ada'),
    accountId: fc.constant('mill'),
    email: fc.constant('Ada@example.com'),
    isNew: fc.boolean(),
  },
  { requiredKeys: [] },
)

const shippingGroups = fc
  .array(fc.record({ shippingType: fc.constantFrom('ground', 'air'), base: amounts }), { maxLength: 3 })
  .map((all) => all.map((group, i) => ({ id: `group ${i}`, ...group })))

const isRarelyTrue = fc.integer({ min: 0, max: 60 }).map((n) => n === 7)

export const anyCart: fc.Arbitrary<DiscountCart> = fc
  .record({
    lines: anyLines,
    taxes: fc.array(amounts, { minLength: 6, maxLength: 6 }),
    currency: fc.constantFrom(...currencies),
    calculationMethod: fc.constantFrom(...Array<'line'>(9).fill('line'), 'simple'),
    usesCustomDiscounts: isRarelyTrue,
    usesRulePromotions: isRarelyTrue.map((not) => !not),
    shopper,
    accountTags: fc.subarray(['vip', 'new', 'old']),
    customAttributes,
    shippingGroups,
  })
  .map(({ lines, taxes, ...more }) =>
    cartOf(more.calculationMethod === 'simple' ? lines.map(withoutTax(taxes)) : lines, more),
  )

/** With the simple method, discounts see what a line costs without the tax in its price, to the unit. */
const withoutTax =
  (taxes: readonly number[]) =>
  (line: DiscountLine, i: number): DiscountLine => ({
    ...line,
    value: Math.max(0, line.value - (taxes[i] ?? 0)),
  })

export const instants = fc.constantFrom(
  '2026-06-01T11:59:59Z',
  at.toISOString(),
  '2026-06-01T12:00:01Z',
  '2026-06-01',
  '2026-06-02',
)
