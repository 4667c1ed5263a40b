/** Exact fractions, for programs that follow docs/money.md slowly. What is below is always more than 0. */
export interface Fraction {
  readonly above: bigint
  readonly below: bigint
}

export const fraction = (above: bigint, below = 1n): Fraction => ({ above, below })
export const plus = (a: Fraction, b: Fraction) =>
  fraction(a.above * b.below + b.above * a.below, a.below * b.below)
export const minus = (a: Fraction, b: Fraction) => plus(a, fraction(-b.above, b.below))
export const times = (a: Fraction, b: Fraction) => fraction(a.above * b.above, a.below * b.below)
export const over = (a: Fraction, b: Fraction) => fraction(a.above * b.below, a.below * b.above)

/** Reads decimals: at most one point. */
export function written(rate: number | string): Fraction {
  const [whole = '', places = ''] = String(rate).split('.')
  return fraction(BigInt(whole + places), 10n ** BigInt(places.length))
}

export const half = fraction(1n, 2n)
export const floor = ({ above, below }: Fraction): bigint =>
  (above - (((above % below) + below) % below)) / below
export const nearest = (value: Fraction): bigint =>
  value.above < 0n ? -nearest(fraction(-value.above, value.below)) : floor(plus(value, half))

export const isLess = (a: Fraction, b: Fraction) => a.above * b.below < b.above * a.below
export const lesser = (a: Fraction, b: Fraction) => (isLess(b, a) ? b : a)
/** Negative, 0 or positive, as functions that sort need it. */
export const compare = (a: Fraction, b: Fraction) => (isLess(a, b) ? -1 : isLess(b, a) ? 1 : 0)

export const sum = (all: readonly bigint[]): bigint => all.reduce((total, one) => total + one, 0n)
export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)
export const sumOf = (all: readonly Fraction[]): Fraction => all.reduce(plus, fraction(0n))
