import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type PriceFacts, priceVerdict } from '../../../server/prices/index.ts'
import { bundlePrice } from '../../../server/prices/pricing/bundle-price.ts'
import { priceCauses } from '../../../server/prices/pricing/price-causes.ts'
import {
  checks,
  type VisibilityFacts,
  verdictsOf,
} from '../../../server/shop/storefront/visibility-verdicts.ts'
import { tries } from '../../support/long.ts'

const [early, late] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'] as const

const amounts = fc
  .dictionary(
    fc.constantFrom('USD', 'EUR', 'JPY'),
    fc.record({
      amount: fc.constantFrom(0, 5, Number.MAX_SAFE_INTEGER),
      includes_tax: fc.boolean(),
    }),
    { noNullPrototype: true },
  )
  .filter((row) => Object.keys(row).length > 0)

const optional = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined })

const parts = fc.array(
  fc
    .record({ id: fc.uuid(), published: fc.boolean(), amounts: optional(amounts) })
    .map((part) => (part.published ? part : { ...part, amounts: undefined })),
  { maxLength: 3 },
)

/** As the shop works it out: without a price of its own a bundle costs what its parts cost together. */
const priceFacts: fc.Arbitrary<PriceFacts> = fc
  .record({
    currency: fc.constantFrom('USD', 'EUR'),
    books: fc.uniqueArray(fc.uuid(), { maxLength: 2 }),
    skus: fc.uniqueArray(fc.constantFrom('own', 'of-parent')),
    parts: optional(parts),
    own: optional(amounts),
    unfilled: fc.oneof(
      { weight: 9, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constant({ components: ['drink'], options: ['tea'] }) },
    ),
  })
  .map(({ own, unfilled, ...facts }) => {
    if (unfilled) return { ...facts, unfilled, amounts: undefined, hasOwnPrice: false }
    const price = facts.books.length && facts.skus.length ? own : undefined
    const priced =
      facts.books.length > 0 ? facts.parts : facts.parts?.map((part) => ({ ...part, amounts: undefined }))
    const sum = bundlePrice(
      (priced ?? []).map((part) => ({ quantity: 1, price: part.amounts && { currencies: part.amounts } })),
    )
    return {
      ...facts,
      parts: priced,
      amounts: price ?? sum?.currencies,
      hasOwnPrice: price !== undefined,
    }
  })

const facts: fc.Arbitrary<VisibilityFacts> = fc
  .record({
    chosen: fc.constantFrom('this' as const, 'another' as const, 'none' as const),
    waitingRule: optional(fc.constant({ id: 'r1', name: 'VIP', pricebooks: ['"Gold" b1'] })),
    ruleOfIgnoredBooks: optional(fc.constant({ id: 'r2', name: 'Early' })),
    status: fc.constantFrom('live' as const, 'draft' as const),
    nodes: fc.nat(2),
    nodesOfCatalog: fc.nat(2),
    release: optional(
      fc.record({
        product: optional(
          fc.record({
            listed: fc.boolean(),
            updatedAt: fc.constantFrom(early, late),
            isBase: fc.boolean(),
            price: priceFacts,
            available: optional(fc.nat(2)),
          }),
        ),
      }),
    ),
    updatedAt: fc.constantFrom(early, late),
  })
  .map(({ release, nodesOfCatalog, ...one }) => ({
    ...one,
    nodesOfCatalog: Math.min(nodesOfCatalog, one.nodes),
    ...(release && { release: release.product ? { product: release.product } : {} }),
  }))

test('a product is visible and purchasable exactly where a shopper finds it so', () => {
  fc.assert(
    fc.property(facts, (one) => {
      const { visible, purchasable, verdict, checks: verdicts } = verdictsOf(one)
      expect(verdicts.map(({ check }) => check)).toEqual(Object.keys(checks))
      for (const { detail } of verdicts) expect(detail).toMatch(/^[A-Z].*\.$/s)
      const product = one.release?.product
      const isShown = one.chosen === 'this' && product?.listed === true
      const isPriced = product?.price.amounts?.[product.price.currency ?? ''] !== undefined
      expect(visible).toBe(isShown)
      expect(purchasable).toBe(isShown && isPriced && !product?.isBase && product?.available !== 0)
      expect(verdict === 'buyable').toBe(purchasable)
    }),
    { numRuns: tries(200, 1000) },
  )
})

test('the cause of a missing price is what is missing', () => {
  const inEvery = (one: PriceFacts, code: string | undefined) =>
    (one.parts ?? []).every(({ amounts }) => amounts?.[code ?? ''] !== undefined)
  /** What is true where a cause is named. */
  const truths: Record<string, (one: PriceFacts) => boolean> = {
    priced: ({ amounts, currency }) => amounts?.[currency ?? ''] !== undefined,
    component_unfilled: ({ unfilled }) => unfilled !== undefined,
    no_price_book: ({ books }) => books.length === 0,
    nothing_selected: ({ parts, hasOwnPrice }) => parts?.length === 0 && !hasOwnPrice,
    option_not_published: ({ parts }) => parts?.some(({ published }) => !published) === true,
    option_without_price: ({ parts }) =>
      parts?.some(({ published, amounts }) => published && !amounts) === true,
    no_common_currency: (one) => !['USD', 'EUR', 'JPY'].some((code) => inEvery(one, code)),
    mixed_tax: (one) =>
      inEvery(one, one.currency) &&
      new Set(one.parts?.map(({ amounts }) => amounts?.[one.currency ?? '']?.includes_tax)).size === 2,
    price_too_large: (one) => inEvery(one, one.currency),
    other_currencies_only: ({ amounts, currency }) => amounts !== undefined && !amounts[currency ?? ''],
    options_in_other_currencies: (one) => one.parts !== undefined && !inEvery(one, one.currency),
    no_sku: ({ skus, parts }) => skus.length === 0 && !parts,
    unpriced: ({ books, skus, parts, amounts }) => books.length > 0 && skus.length > 0 && !parts && !amounts,
  }
  expect(Object.keys(truths)).toEqual(priceCauses.map(({ verdict }) => verdict))
  fc.assert(
    fc.property(priceFacts, (one) => {
      const { verdict, effect } = priceVerdict(one)
      expect([verdict, truths[verdict]?.(one)]).toEqual([verdict, true])
      expect(effect === 'passes').toBe(truths.priced?.(one))
    }),
    { numRuns: tries(400, 2000) },
  )
})

test('each row of the tables is the verdict of some product', () => {
  const verdicts = new Set<string>()
  for (const one of fc.sample(facts, { numRuns: 5000, seed: 1 })) {
    for (const { check, verdict } of verdictsOf(one).checks) verdicts.add(`${check}: ${verdict}`)
  }
  for (const one of fc.sample(priceFacts, { numRuns: 5000, seed: 1 })) {
    verdicts.add(`price: ${priceVerdict(one).verdict}`)
  }
  const rows = Object.entries({ ...checks, price: [...checks.price, ...priceCauses] }).flatMap(
    ([check, causes]) => causes.map(({ verdict }) => `${check}: ${verdict}`),
  )
  expect([...verdicts].sort()).toEqual(rows.sort())
})

test('each failed check names what is wrong', () => {
  const price: PriceFacts = {
    currency: 'USD',
    books: ['retail'],
    skus: ['loaf'],
    amounts: { USD: { amount: 5, includes_tax: false } },
    hasOwnPrice: true,
  }
  const product = { listed: true, updatedAt: early, isBase: false, price, available: 1 }
  const good: VisibilityFacts = {
    chosen: 'this',
    status: 'live',
    nodes: 1,
    nodesOfCatalog: 1,
    release: { product },
    updatedAt: early,
  }
  const failed = (changes: Partial<VisibilityFacts>) =>
    verdictsOf({ ...good, ...changes }).checks.flatMap(({ verdict, passed }) => (passed ? [] : [verdict]))
  const missing = ['not_in_release', 'not_in_release', 'not_in_release']
  expect(failed({})).toEqual([])
  expect(failed({ chosen: 'none' })).toEqual(['no_catalog'])
  expect(failed({ chosen: 'another' })).toEqual(['another_catalog'])
  expect(failed({ status: 'draft' })).toEqual(['draft_since'])
  expect(failed({ status: 'draft', release: {} })).toEqual(['draft', 'cannot_be_published', ...missing])
  expect(failed({ nodes: 0, nodesOfCatalog: 0 })).toEqual(['left_its_nodes', 'left_the_catalog'])
  expect(failed({ nodesOfCatalog: 0, release: {} })).toEqual([
    'not_in_the_catalog',
    'cannot_be_published',
    ...missing,
  ])
  expect(failed({ updatedAt: late })).toEqual(['changed_since'])
  expect(failed({ release: {} })).toEqual(['not_published', ...missing])
  expect(failed({ release: { product: { ...product, listed: false } } })).toEqual(['only_in_bundles'])
  const { release: _none, ...unpublished } = good
  expect(verdictsOf(unpublished).checks.find(({ check }) => check === 'release')?.verdict).toBe('no_release')
  const { amounts: _amounts, ...unpriced } = price
  expect(
    failed({
      release: { product: { ...product, price: { ...unpriced, amounts: undefined, hasOwnPrice: false } } },
    }),
  ).toEqual(['unpriced'])
  expect(failed({ release: { product: { ...product, available: 0 } } })).toEqual(['out_of_stock'])
  expect(failed({ release: { product: { ...product, isBase: true } } })).toEqual(['base_product'])
  expect(failed({ release: { product: { ...product, available: undefined } } })).toEqual([])
})
