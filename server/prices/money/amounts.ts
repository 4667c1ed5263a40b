import { Problem } from '../../kernel/errors.ts'
import { type Exact, type Ratio, toRatio } from './ratio.ts'

/**
 * An amount that no answer can show exactly. It refuses the request. A caller that knows which value is too large can
 * catch it, and refuse that one by name.
 */
export class AmountTooLarge extends Problem {
  constructor(source?: string) {
    super(
      'unprocessable',
      `An amount must not exceed ${Number.MAX_SAFE_INTEGER} in the smallest unit of its currency; use a lower price or a lower quantity.`,
      source === undefined ? {} : { source },
    )
  }
}

/** An amount is a whole number of the smallest unit of a currency, at most 2^53 - 1. */
export function toAmount(value: bigint): number {
  const amount = Number(value)
  if (!Number.isSafeInteger(amount)) throw new AmountTooLarge()
  return amount
}

/** The integer nearest to a fraction. Of two equally near ones it is the one farther from zero. */
export function round({ numerator, denominator }: Ratio): bigint {
  const half = numerator < 0n ? -denominator : denominator
  return (2n * numerator + half) / (2n * denominator)
}

const areSafe = (one: number, other: Exact): other is number =>
  Number.isSafeInteger(one) && Number.isSafeInteger(other)

/** 0 for -0. */
const withoutSign = (amount: number): number => amount || 0

/** Multiplies exactly, and rounds half away from zero. */
export function multiply(amount: number, by: Exact): number {
  // A product that no float has exactly is no safe integer either.
  if (areSafe(amount, by) && Number.isSafeInteger(amount * by)) return withoutSign(amount * by)
  const { numerator, denominator } = toRatio(by)
  return toAmount(round({ numerator: BigInt(amount) * numerator, denominator }))
}

/** Divides exactly, and rounds half away from zero. */
export function divide(amount: number, by: Exact): number {
  if (by === 1 && areSafe(amount, by)) return withoutSign(amount)
  const { numerator, denominator } = toRatio(by)
  if (numerator <= 0n) throw new Error('an amount can be divided by a positive number only')
  return toAmount(round({ numerator: BigInt(amount) * denominator, denominator: numerator }))
}

export function sum(amounts: readonly number[]): number {
  let total = 0
  for (const amount of amounts) {
    total += amount
    if (!Number.isSafeInteger(total)) return toAmount(amounts.reduce((all, one) => all + BigInt(one), 0n))
  }
  return total
}
