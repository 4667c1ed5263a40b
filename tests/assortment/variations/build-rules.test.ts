import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BuildRules } from '../../../server/assortment/product-fields/product-fields.ts'
import {
  childrenMax,
  combinationsMax,
  combinationsOf,
} from '../../../server/assortment/variations/build-rules.ts'
import { atOnce } from '../../support/at-once.ts'
import { tries } from '../../support/long.ts'

const size = ['S', 'M', 'L']
const colour = ['R', 'G', 'B']
const material = ['cotton', 'wool', 'silk']
const ambiguous = 'could not determine whether to include or exclude a child product due to ambiguous rules'

const count = (variations: readonly (readonly string[])[], rules?: BuildRules) =>
  atOnce(combinationsOf(variations, rules)).length

describe('the worked examples', () => {
  const three = [size, colour, material]
  test.for<[number, BuildRules | undefined]>([
    [27, undefined],
    [24, { default: 'include', exclude: [['L', 'R']] }],
    [3, { default: 'exclude', include: [['L', 'R']] }],
    [25, { default: 'include', exclude: [['L', 'cotton']], include: [['L', 'R', 'cotton']] }],
    // No child has two options of one variation.
    [27, { default: 'include', exclude: [['L', 'M']] }],
    [0, { default: 'exclude', include: [['L', 'M']] }],
    [27, { default: 'include', exclude: [['no such option']] }],
  ])('of three variations: %i', ([combinations, rules]) => {
    expect(count(three, rules)).toBe(combinations)
  })

  test.for<[number, BuildRules]>([
    [
      5,
      {
        default: 'include',
        exclude: [['R'], ['G']],
        include: [
          ['S', 'R'],
          ['L', 'G'],
        ],
      },
    ],
    [5, { default: 'include', exclude: [['L'], ['G']], include: [['L', 'G']] }],
  ])('of two variations: %i', ([combinations, rules]) => {
    expect(count([size, colour], rules)).toBe(combinations)
  })

  test('rules that include and exclude the same combination are ambiguous', () => {
    const both = { default: 'include', include: [['L']], exclude: [['R']] } as const
    expect(() => count([size, colour], both)).toThrow(ambiguous)
    expect(count([size, colour], { ...both, include: [['L'], ['L', 'R']] })).toBe(7)
  })
})

test('combinations follow the order of the variations and of their options', () => {
  const two = [
    ['S', 'M'],
    ['R', 'B'],
  ]
  expect(atOnce(combinationsOf(two, undefined))).toEqual([
    ['S', 'R'],
    ['S', 'B'],
    ['M', 'R'],
    ['M', 'B'],
  ])
})

test('the numbers of children and of combinations have a limit', () => {
  const options = (n: number, name: string) => Array.from({ length: n }, (_, i) => `${name}${i}`)
  const [hundred, other] = [options(100, 'a'), options(100, 'b')]
  expect(count([hundred, other])).toBe(childrenMax)
  expect(() => count([hundred, [...other, 'one more']])).toThrow(`at most ${childrenMax}`)
  const exclude = [['one more']]
  expect(count([hundred, [...other, 'one more']], { default: 'include', exclude })).toBe(childrenMax)
  expect(() => count([hundred, hundred, options(101, 'c')])).toThrow(`at most ${combinationsMax}`)
})

/** A slow and simple model: it compares every combination with every rule. */
function expected(
  variations: readonly (readonly string[])[],
  { default: fallback, include = [], exclude = [] }: BuildRules,
): string[] | 'ambiguous' {
  let all: string[][] = [[]]
  for (const options of variations)
    all = all.flatMap((chosen) => options.map((option) => [...chosen, option]))
  const combinations: string[] = []
  for (const combination of all) {
    const longest = (rules: readonly (readonly string[])[]) =>
      Math.max(
        0,
        ...rules
          .map((rule) => new Set(rule))
          .filter((rule) => rule.isSubsetOf(new Set(combination)))
          .map((rule) => rule.size),
      )
    const [included, excluded] = [longest(include), longest(exclude)]
    if (included === excluded && included > 0) return 'ambiguous'
    if (included === excluded ? fallback === 'include' : included > excluded)
      combinations.push(combination.join())
  }
  return combinations
}

test('for any rules, the combinations are those of the simple model', () => {
  const setOf = fc
    .array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 })
    .map((lengths) => lengths.map((length, v) => Array.from({ length }, (_, i) => `${v}.${i}`)))
  const any = setOf.chain((variations) => {
    // No combination meets some of them: they have two options of one variation, or an unknown one.
    const rule = fc.array(fc.constantFrom(...variations.flat(), 'none'), { minLength: 1, maxLength: 4 })
    const some = fc.option(fc.array(rule, { maxLength: 4 }), { nil: undefined })
    const fallback = fc.constantFrom('include' as const, 'exclude' as const)
    return fc.record({ variations: fc.constant(variations), fallback, include: some, exclude: some })
  })
  let unambiguous = 0
  fc.assert(
    fc.property(any, ({ variations, fallback, include, exclude }) => {
      const rules = { default: fallback, ...(include && { include }), ...(exclude && { exclude }) }
      const result = expected(variations, rules)
      if (result === 'ambiguous') {
        expect(() => atOnce(combinationsOf(variations, rules))).toThrow(ambiguous)
      } else {
        unambiguous += 1
        expect(atOnce(combinationsOf(variations, rules)).map((one) => one.join())).toEqual(result)
      }
    }),
    { numRuns: tries(2000, 10_000) },
  )
  expect(unambiguous).toBeGreaterThan(1000)
})
