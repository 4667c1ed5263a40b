import { sum, toAmount } from './amounts.ts'
import { type Exact, toRatio } from './ratio.ts'

/**
 * Divides a total in proportion to weights. The shares add up to the total. Each is rounded toward zero; the units that
 * are left over go to the largest fractions, and among equal fractions to the first. So a share differs from its exact
 * value by less than one unit, and a weight of 0 gets 0.
 */
export function apportion(total: number, weights: readonly Exact[]): number[] {
  const integers = toIntegers(weights)
  const whole = integers.reduce((sum, weight) => sum + weight, 0n)
  if (whole === 0n) {
    if (total === 0) return weights.map(() => 0)
    throw new Error(`${total} cannot be divided among nothing`)
  }
  const absolute = BigInt(Math.abs(total))
  const parts = integers.map((weight) => ({
    floor: (absolute * weight) / whole,
    rest: (absolute * weight) % whole,
  }))
  const leftOver = Number(absolute - parts.reduce((sum, { floor }) => sum + floor, 0n))
  const shares = parts.map(({ floor }) => toAmount(floor))
  // Sorting is stable, so equal fractions keep the order of the weights.
  const byFraction = parts.map(({ rest }, index) => ({ rest, index })).sort((a, b) => compare(b.rest, a.rest))
  for (const { index } of byFraction.slice(0, leftOver)) shares[index] = (shares[index] ?? 0) + 1
  return total < 0 ? shares.map((share) => 0 - share) : shares
}

/** Cuts amounts to a ceiling for their sum, each in proportion. */
export function cutTo(ceiling: number, amounts: readonly number[]): readonly number[] {
  return sum(amounts) <= ceiling ? amounts : apportion(ceiling, amounts)
}

/** Integers in the same proportion. */
function toIntegers(weights: readonly Exact[]): readonly bigint[] {
  const ratios = weights.map(toRatio)
  if (ratios.some(({ numerator }) => numerator < 0n)) throw new Error('a weight cannot be less than 0')
  const common = ratios.reduce((least, { denominator }) => leastMultiple(least, denominator), 1n)
  return ratios.map(({ numerator, denominator }) => numerator * (common / denominator))
}

function leastMultiple(a: bigint, b: bigint): bigint {
  let [divisor, rest] = [a, b]
  while (rest) [divisor, rest] = [rest, divisor % rest]
  return (a / divisor) * b
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0)
