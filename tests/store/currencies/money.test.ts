import fc from 'fast-check'
import { expect, test } from 'vitest'
import { money, type Notation } from '../../../server/store/index.ts'

// biome-ignore lint/suspicious/noTemplateCurlyInString: the sign, and the place.
const dollars = '${price}'

/** The same by counting digits off one by one, from the right. */
function slowly(amount: number, { format, decimal_point, thousand_separator, decimal_places }: Notation) {
  let left = BigInt(amount < 0 ? -amount : amount)
  const digits: string[] = []
  while (left > 0n || digits.length <= decimal_places) {
    digits.unshift(String(left % 10n))
    left /= 10n
  }
  const fraction = decimal_places === 0 ? [] : digits.splice(-decimal_places)
  let price = ''
  for (const [i, digit] of digits.entries()) {
    const after = digits.length - i
    if (i > 0 && after % 3 === 0) price += thousand_separator
    price += digit
  }
  if (fraction.length) price += decimal_point + fraction.join('')
  return (amount < 0 ? '-' : '') + format.split('{price}').join(price)
}

const notation = (format: string, thousands = ',', point = '.', places = 2) => ({
  code: 'XXX',
  format,
  thousand_separator: thousands,
  decimal_point: point,
  decimal_places: places,
})

test.each<[amount: number, of: Notation, formatted: string, float: number]>([
  [123_456, notation(dollars), '$1,234.56', 1234.56],
  [1234, notation('¥{price}', ',', '.', 0), '¥1,234', 1234],
  [1_234_567, notation('{price} BHD', ',', '.', 3), '1,234.567 BHD', 1234.567],
  [123_456, notation('{price} zł', ' ', ','), '1 234,56 zł', 1234.56],
  [123_456, notation('€{price}', '.', ','), '€1.234,56', 1234.56],
  [5, notation('€{price}'), '€0.05', 0.05],
  [0, notation(dollars), '$0.00', 0],
  [0, notation('¥{price}', ',', '.', 0), '¥0', 0],
  [-1250, notation(dollars), '-$12.50', -12.5],
  [-1, notation('{price}', '', '.', 3), '-0.001', -0.001],
  [999, notation(dollars, ',', '.', 0), '$999', 999],
  [1000, notation(dollars, ',', '.', 0), '$1,000', 1000],
  [100_000_000, notation('{price}', '', '.', 0), '100000000', 100_000_000],
  // Signs that mean something to whoever puts texts together.
  [123_456, notation('{price} $&', '$1', "$'"), "1$1234$'56 $&", 1234.56],
])('%d of %j is %s', (amount, of, formatted, float_price) => {
  expect(money(amount, of)).toEqual({ amount, currency: 'XXX', float_price, formatted })
})

const anyNotation = fc.record({
  code: fc.constant('XXX'),
  format: fc.tuple(fc.string(), fc.string()).map(([before, after]) => `${before}{price}${after}`),
  decimal_point: fc.string({ maxLength: 2 }),
  thousand_separator: fc.string({ maxLength: 2 }),
  decimal_places: fc.constantFrom(0, 2, 3, 8),
})
const anyAmount = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -100_000, max: 100_000 }))

test('any amount of any currency is formatted like the written rules', () => {
  fc.assert(
    fc.property(anyAmount, anyNotation, (amount, of) => {
      expect(money(amount, of).formatted).toBe(slowly(amount, of))
    }),
  )
})

test('the float is the double nearest to the formatted amount', () => {
  fc.assert(
    fc.property(anyAmount, fc.constantFrom(0, 2, 3, 8), (amount, places) => {
      const plain = money(amount, notation('{price}', '', '.', places))
      expect(plain.float_price).toBe(Number(plain.formatted))
    }),
  )
})

test('a fraction of the smallest unit is not an amount', () => {
  for (const amount of [0.5, Number.NaN, 2 ** 53]) {
    expect(() => money(amount, notation(dollars))).toThrow('is not an amount')
  }
})
