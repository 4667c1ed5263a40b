import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Facts, verdictsOf } from '../../server/storefront/visibility-verdicts.ts'

const [early, late] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'] as const

const facts: fc.Arbitrary<Facts> = fc.record(
  {
    chosen: fc.constantFrom('this', 'another', 'none'),
    status: fc.constantFrom('live', 'draft'),
    nodes: fc.nat(2),
    nodesOfCatalog: fc.nat(2),
    release: fc.option(
      fc.record({
        product: fc.option(fc.record({ listed: fc.boolean(), updatedAt: fc.constantFrom(early, late) }), {
          nil: undefined,
        }),
      }),
      { nil: undefined },
    ),
    updatedAt: fc.constantFrom(early, late),
    priced: fc.boolean(),
    available: fc.option(fc.nat(2), { nil: undefined }),
  },
  { noNullPrototype: true },
) as fc.Arbitrary<Facts>

test('one verdict for each check, and what may be bought is seen', () => {
  fc.assert(
    fc.property(facts, (one) => {
      const { visible, purchasable, checks } = verdictsOf(one)
      expect(checks.map(({ check }) => check)).toEqual([
        ...['catalog', 'status', 'nodes', 'hierarchies', 'release', 'price', 'stock'],
      ])
      for (const { detail } of checks) expect(detail).toMatch(/\.$/)
      // As a shopper would find: in the release of the catalog that they see.
      const seen = one.chosen === 'this' && one.release?.product?.listed === true
      expect(visible).toBe(seen)
      expect(purchasable).toBe(seen && one.priced && one.available !== 0)
      if (checks.every(({ passed }) => passed)) expect(purchasable).toBe(true)
    }),
  )
})

test('what fails is what is wrong', () => {
  const good: Facts = {
    chosen: 'this',
    status: 'live',
    nodes: 1,
    nodesOfCatalog: 1,
    release: { product: { listed: true, updatedAt: early } },
    updatedAt: early,
    priced: true,
    available: 1,
  }
  const failed = (changes: Partial<Facts>) =>
    verdictsOf({ ...good, ...changes }).checks.flatMap(({ verdict, passed }) => (passed ? [] : [verdict]))
  expect(failed({})).toEqual([])
  expect(failed({ chosen: 'none' })).toEqual(['no_catalog'])
  expect(failed({ chosen: 'another' })).toEqual(['another_catalog'])
  expect(failed({ status: 'draft' })).toEqual(['draft'])
  expect(failed({ nodes: 0, nodesOfCatalog: 0 })).toEqual(['in_no_node', 'not_in_the_catalog'])
  expect(failed({ nodesOfCatalog: 0 })).toEqual(['not_in_the_catalog'])
  expect(failed({ updatedAt: late })).toEqual(['changed_since'])
  expect(failed({ release: {} })).toEqual(['not_published'])
  expect(failed({ release: { product: { listed: false, updatedAt: early } } })).toEqual(['only_in_bundles'])
  const { release: _none, ...unpublished } = good
  expect(verdictsOf(unpublished).checks.find(({ check }) => check === 'release')?.verdict).toBe('no_release')
  expect(failed({ priced: false })).toEqual(['unpriced'])
  expect(failed({ available: 0 })).toEqual(['out_of_stock'])
  expect(failed({ available: undefined })).toEqual([])
})
