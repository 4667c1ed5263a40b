/** The rules for amounts, followed one unit at a time: slow, and easy to check by eye. */

const size = (value: bigint) => (value < 0n ? -value : value)

/** Whether `value` is the fraction rounded: nothing is nearer, and what is as near is nearer to zero. */
export function isRounded(value: bigint, numerator: bigint, denominator: bigint): boolean {
  const distance = (integer: bigint) => size(integer * denominator - numerator)
  return [value - 1n, value + 1n].every(
    (other) =>
      distance(value) < distance(other) || (distance(value) === distance(other) && size(value) > size(other)),
  )
}

/** Gives every share its whole units. Then the share that lacks most of its exact value gets one unit, and again. */
export function apportionSlowly(total: number, weights: readonly bigint[]): number[] {
  const whole = weights.reduce((a, b) => a + b, 0n)
  const absolute = BigInt(Math.abs(total))
  const shares = weights.map((weight) => (absolute * weight) / whole)
  const lacking = (index: number) => absolute * (weights[index] as bigint) - (shares[index] as bigint) * whole
  while (shares.reduce((a, b) => a + b, 0n) < absolute) {
    let neediest = 0
    for (const index of shares.keys()) if (lacking(index) > lacking(neediest)) neediest = index
    shares[neediest] = (shares[neediest] as bigint) + 1n
  }
  return shares.map((share) => Number(total < 0 ? -share : share))
}
