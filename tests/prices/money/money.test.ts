import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  AmountTooLarge,
  addRatios,
  apportion,
  cutTo,
  decimal,
  divide,
  multiply,
  percent,
  ratio,
  sum,
} from '../../../server/prices/index.ts'
import { apportionSlowly, isRounded } from '../../builders/prices/slow-money.ts'
import { tries } from '../../support/long.ts'

const amounts = fc.oneof(fc.integer({ min: -5000, max: 5000 }), fc.maxSafeInteger())
const many = { numRuns: tries(2000, 100_000) }

test.each([
  [5, '10', 1],
  [-5, '10', -1],
  [4, '10', 0],
  [2997, 15, 450],
  [-2997, 15, -450],
  [999, '33.333333', 333],
  [300_000_000, '0.000001', 3],
  [100, 0.000_000_5, 0],
  [Number.MAX_SAFE_INTEGER, 100, Number.MAX_SAFE_INTEGER],
  [9_007_199_254_740_991, '33.333333', 3_002_399_721_556_333],
])('of %d, %s percent is %d', (amount, percentage, expected) => {
  expect(multiply(amount, percent(percentage))).toBe(expected)
})

test.each([
  [3897, '1.2', 3248],
  [1099, 3, 366],
  [-1099, 2, -550],
  [0, 7, 0],
])('%d divided by %s is %d', (amount, by, expected) => {
  expect(divide(amount, decimal(by))).toBe(expected)
})

test('a decimal is exactly what is written, as a text and as a number', () => {
  const written = fc.tuple(fc.integer({ min: -(10 ** 9), max: 10 ** 9 }), fc.nat(6))
  fc.assert(
    fc.property(written, ([digits, places]) => {
      const text = (digits < 0 ? '-' : '') + String(Math.abs(digits)).padStart(places + 1, '0')
      const point = text.length - places
      const decimalText = places ? `${text.slice(0, point)}.${text.slice(point)}` : text
      for (const value of [decimalText, Number(decimalText)]) {
        const { numerator, denominator } = decimal(value)
        expect(numerator * 10n ** BigInt(places)).toBe(BigInt(digits) * denominator)
      }
    }),
    many,
  )
  expect(decimal(1e-7)).toEqual(ratio(1, 10_000_000))
  expect(decimal(1e21)).toEqual(ratio(10n ** 21n))
})

test.each(['', '.5', '5.', '1e9', '0x10', ' 1', '1,5', 'NaN', Number.NaN, Number.POSITIVE_INFINITY])(
  '%o is not a decimal',
  (value) => {
    expect(() => decimal(value)).toThrow('is not a decimal')
  },
)

test('products and quotients are rounded half away from zero', () => {
  const fraction = fc.tuple(fc.bigInt(-(2n ** 70n), 2n ** 70n), fc.bigInt(1n, 2n ** 70n))
  const simple = fc.tuple(fc.bigInt(-20n, 20n), fc.bigInt(1n, 20n))
  fc.assert(
    fc.property(amounts, fc.oneof(fraction, simple), (amount, [numerator, denominator]) => {
      const orTooLarge = (calculate: () => number) => {
        try {
          return calculate()
        } catch (error) {
          if (error instanceof AmountTooLarge) return undefined
          throw error
        }
      }
      const product = orTooLarge(() => multiply(amount, ratio(numerator, denominator)))
      const exact = BigInt(amount) * numerator
      if (product === undefined) {
        const limit = (BigInt(Number.MAX_SAFE_INTEGER) + 1n) * denominator
        expect(2n * (exact < 0n ? -exact : exact) >= 2n * limit - denominator).toBe(true)
      } else expect(isRounded(BigInt(product), exact, denominator)).toBe(true)
      if (numerator <= 0n) return
      expect(orTooLarge(() => divide(amount, ratio(numerator, denominator)))).toBe(
        orTooLarge(() => multiply(amount, ratio(denominator, numerator))),
      )
    }),
    many,
  )
})

test('ratios add up exactly', () => {
  const one = fc.tuple(fc.integer(), fc.integer({ min: 1 }))
  fc.assert(
    fc.property(one, one, ([a, b], [c, d]) => {
      const { numerator, denominator } = addRatios([ratio(a, b), ratio(c, d), 1])
      const expected = BigInt(a) * BigInt(d) + BigInt(c) * BigInt(b) + BigInt(b) * BigInt(d)
      expect(numerator * BigInt(b) * BigInt(d)).toBe(expected * denominator)
    }),
  )
})

test.each([
  [-1000, [1000, 1000, 1000], [-334, -333, -333]],
  [-1000, [2997, 3], [-999, -1]],
  [-1000, [600, 450], [-571, -429]],
  [-5000, [15000, 10000], [-3000, -2000]],
  [-3500, [20000, 1500], [-3256, -244]],
  [2, [1, 1, 1], [1, 1, 0]],
  [10, [0, 7, 0], [0, 10, 0]],
  [0, [0, 0], [0, 0]],
  [0, [], []],
])('%d in proportion to %j is %j', (total, weights, expected) => {
  expect(apportion(total, weights)).toEqual(expected)
})

test('any total is apportioned as slowly by hand, and its shares add up to it', () => {
  const weights = fc.array(fc.oneof(fc.nat(20), fc.maxSafeNat()), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(amounts, weights, (total, given) => {
      const positive = given.some(Boolean) ? given : [...given, 1]
      const shares = apportion(total, positive)
      expect(shares).toEqual(apportionSlowly(total, positive.map(BigInt)))
      expect(sum(shares)).toBe(total)
    }),
    many,
  )
})

test('a share of a discount is at most the price that it is taken off', () => {
  const prices = fc.array(fc.nat(50), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(prices, fc.double({ min: 0, max: 1, noNaN: true }), (given, part) => {
      const shares = apportion(Math.floor(sum(given) * part), given)
      expect(shares.every((share, index) => share <= (given[index] ?? 0))).toBe(true)
    }),
    many,
  )
})

test('weights may be exact fractions: only their proportion counts', () => {
  const fractions = fc.array(fc.tuple(fc.nat(1000), fc.integer({ min: 1, max: 1000 })), {
    minLength: 1,
    maxLength: 6,
  })
  fc.assert(
    fc.property(amounts, fractions, (total, given) => {
      const positive: [number, number][] = [...given, [1, 3]]
      const common = positive.reduce((product, [, below]) => product * BigInt(below), 1n)
      const integers = positive.map(([above, below]) => (BigInt(above) * common) / BigInt(below))
      const shares = apportion(
        total,
        positive.map(([above, below]) => ratio(above, below)),
      )
      expect(shares).toEqual(apportion(total, integers))
    }),
    many,
  )
})

test('amounts are cut in proportion when they exceed a ceiling, and otherwise not', () => {
  expect(cutTo(1000, [600, 450])).toEqual([571, 429])
  expect(cutTo(1050, [600, 450])).toEqual([600, 450])
  expect(cutTo(0, [600, 450])).toEqual([0, 0])
})

test('what no safe integer can hold is refused', () => {
  const largest = Number.MAX_SAFE_INTEGER
  expect(sum([largest, largest, -largest])).toBe(largest)
  for (const tooLarge of [
    () => sum([largest, 1]),
    () => multiply(largest, 2),
    () => multiply(-largest, percent('100.000001')),
    () => divide(largest, decimal('0.5')),
  ]) {
    expect(tooLarge).toThrow(AmountTooLarge)
    expect(tooLarge).toThrow(
      'An amount must not exceed 9007199254740991 in the smallest unit of its currency; use a lower price or a lower quantity.',
    )
  }
})

test('mistakes of the caller are not hidden', () => {
  expect(() => multiply(100, 0.1)).toThrow(RangeError)
  expect(() => apportion(1, [0, 0])).toThrow('1 cannot be divided among nothing')
  expect(() => apportion(1, [])).toThrow('1 cannot be divided among nothing')
  expect(() => apportion(1, [2, -1])).toThrow('a weight cannot be less than 0')
  expect(() => ratio(1, 0)).toThrow('1 cannot be divided by 0')
  expect(() => divide(1, 0)).toThrow('an amount can be divided by a positive number only')
})
