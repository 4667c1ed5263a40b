import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bundleOptions } from '../../../server/shop/sources/bundle-options.ts'

const ids = ['a', 'b', 'c', 'd'] as const

const component = fc
  .record({
    min: fc.option(fc.nat(3)),
    options: fc.uniqueArray(
      fc.record({ id: fc.constantFrom(...ids), quantity: fc.nat(3), default: fc.boolean() }),
      { selector: ({ id }) => id },
    ),
  })
  .map((one) => ({
    name: 'Any',
    ...one,
    options: one.options.map((option) => ({ type: 'product', ...option })),
  }))

test('the default selection has every component and only options for sale, and fills components where it can', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('x', 'y'), component),
      fc.subarray([...ids]),
      (components, sold) => {
        const result = bundleOptions(components as never, (id) => sold.includes(id as never))
        expect(Object.keys(result.selected)).toEqual(Object.keys(components))
        for (const [key, { min, options }] of Object.entries(components)) {
          const chosen = Object.keys(result.selected[key] ?? {})
          const offered = options.filter(({ id }) => sold.includes(id)).map(({ id }) => id as string)
          const defaults = options.filter((option) => option.default)
          for (const id of chosen) expect(offered).toContain(id)
          for (const { id } of defaults) if (sold.includes(id)) expect(chosen).toContain(id)
          const isUnfilled = offered.length < (min ?? 0)
          expect(result.unfilled.includes(key)).toBe(isUnfilled)
          // Where the merchant's own default would fill it, what takes its place does too.
          const fills = (defaults.length || options.length) >= (min ?? 0)
          if (!isUnfilled && fills) expect(chosen.length).toBeGreaterThanOrEqual(min ?? 0)
          for (const { id } of options) expect(result.notForSale.includes(id)).toBe(!sold.includes(id))
        }
      },
    ),
  )
})
