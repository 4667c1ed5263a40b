/** An exact fraction, not necessarily reduced. */
export interface Ratio {
  readonly numerator: bigint
  /** More than 0. */
  readonly denominator: bigint
}

/** An integer or a fraction. A number with decimals throws: `decimal` reads those. */
export type Exact = number | bigint | Ratio

export function ratio(numerator: number | bigint, denominator: number | bigint = 1n): Ratio {
  const [above, below] = [BigInt(numerator), BigInt(denominator)]
  if (below === 0n) throw new Error(`${above} cannot be divided by 0`)
  return below > 0n ? { numerator: above, denominator: below } : { numerator: -above, denominator: -below }
}

export const toRatio = (value: Exact): Ratio => (typeof value === 'object' ? value : ratio(value))

export function addRatios(values: readonly Exact[]): Ratio {
  // Equal denominators are added first: the product of all would have more digits the more values there are.
  const numerators = new Map<bigint, bigint>()
  for (const { numerator, denominator } of values.map(toRatio)) {
    numerators.set(denominator, (numerators.get(denominator) ?? 0n) + numerator)
  }
  let sum = ratio(0n)
  for (const [denominator, numerator] of numerators) {
    sum = {
      numerator: sum.numerator * denominator + numerator * sum.denominator,
      denominator: sum.denominator * denominator,
    }
  }
  return sum
}

/**
 * Reads a decimal exactly: 0.1 is one tenth. A number is what JavaScript prints for it, which is what the client sent
 * as long as that had at most 15 digits. Texts have no exponent, so a short one never is a huge number.
 */
export function decimal(value: number | string): Ratio {
  const pattern =
    typeof value === 'number' ? /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/ : /^(-?)(\d+)(?:\.(\d+))?$/
  const match = pattern.exec(String(value))
  if (!match) throw new Error(`${value} is not a decimal`)
  const [, sign, whole = '', places = '', exponent = '0'] = match
  const digits = BigInt(sign + whole + places)
  const power = places.length - Number(exponent)
  return power >= 0 ? ratio(digits, 10n ** BigInt(power)) : ratio(digits * 10n ** BigInt(-power))
}

/** Reads a percentage exactly: 12.5 is one eighth. */
export function percent(value: number | string): Ratio {
  const { numerator, denominator } = decimal(value)
  return { numerator, denominator: denominator * 100n }
}
