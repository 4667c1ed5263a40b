import { addRatios, type Exact, type Ratio, round, toAmount, toRatio } from '../../prices/index.ts'

/** Arithmetic with fractions of amounts, which are rounded only where a discount is. */

export function compare(one: Exact, other: Exact): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  const [a, b] = [toRatio(one), toRatio(other)]
  const [left, right] = [a.numerator * b.denominator, b.numerator * a.denominator]
  return left < right ? -1 : left > right ? 1 : 0
}

export function product(one: Exact, other: Exact): Ratio {
  const [a, b] = [toRatio(one), toRatio(other)]
  return { numerator: a.numerator * b.numerator, denominator: a.denominator * b.denominator }
}

export function minus(one: Exact, other: Exact): Ratio {
  const { numerator, denominator } = toRatio(other)
  return addRatios([one, { numerator: -numerator, denominator }])
}

export const smaller = (one: Exact, other: Exact): Exact => (compare(one, other) <= 0 ? one : other)

/** Rounds half away from zero. */
export const roundToAmount = (value: Exact): number =>
  typeof value === 'number' ? value : toAmount(round(toRatio(value)))
