import type { TotalsCart, TotalsLine } from '../../server/totals/index.ts'

/**
 * The line method, written as docs/money.md says it: slowly, in fractions of whole numbers, and without any code of the
 * server.
 */

/** Half away from zero; the denominator is above 0. */
function rounded(numerator: bigint, denominator: bigint): bigint {
  const size = numerator < 0n ? -numerator : numerator
  const whole = size / denominator
  const up = (size % denominator) * 2n >= denominator ? 1n : 0n
  return numerator < 0n ? -(whole + up) : whole + up
}

/** Rates in the examples have at most four decimals. */
const scale = 10_000n
const scaled = (rate: number | string) => BigInt(Math.round(Number(rate) * Number(scale)))

/** Shares of a whole by weight: the floors, and one more for the largest fractions. */
function sharesOf(whole: bigint, weights: readonly bigint[]): bigint[] {
  const all = weights.reduce((a, b) => a + b, 0n)
  if (all === 0n) return weights.map(() => 0n)
  const shares = weights.map((weight) => (whole * weight) / all)
  const rests = weights.map((weight, i) => ({ i, rest: (whole * weight) % all }))
  rests.sort((a, b) => (b.rest > a.rest ? 1 : b.rest < a.rest ? -1 : a.i - b.i))
  let left = whole - shares.reduce((a, b) => a + b, 0n)
  for (const { i } of rests) {
    if (left === 0n) break
    shares[i] = (shares[i] ?? 0n) + 1n
    left -= 1n
  }
  return shares
}

function taxOf(line: TotalsLine, net: bigint): bigint {
  const amounts = line.taxes.flatMap((tax) => ('amount' in tax ? [BigInt(tax.amount)] : []))
  const rates = line.taxes.flatMap((tax) => ('rate' in tax ? [scaled(tax.rate)] : []))
  const fixed = amounts.reduce((a, b) => a + b, 0n)
  if (!line.includesTax) return rates.reduce((total, rate) => total + rounded(net * rate, scale), fixed)
  const contained = fixed > net ? net : fixed
  const all = rates.reduce((a, b) => a + b, scale)
  const base = net - contained
  return contained + (base - rounded(base * scale, all))
}

/** The totals of a cart with custom discounts, by the line method. */
export function slowTotals({ lines, discounts, shippingGroups }: TotalsCart): Record<string, number> {
  if (discounts.source !== 'custom') throw new Error('the oracle knows custom discounts')
  const values = lines.map(({ unitPrice, quantity }) => BigInt(unitPrice) * BigInt(quantity))
  const left = [...values]
  for (const { lineId, amount } of discounts.ofLines) {
    const i = lines.findIndex(({ id }) => id === lineId)
    const rest = left[i] ?? 0n
    const taken = BigInt(-amount) > rest ? rest : BigInt(-amount)
    left[i] = rest - taken
  }
  for (const { amount } of discounts.ofCart) {
    const rest = left.reduce((a, b) => a + b, 0n)
    const taken = BigInt(-amount) > rest ? rest : BigInt(-amount)
    const shares = sharesOf(taken, left)
    for (const [i, share] of shares.entries()) left[i] = (left[i] ?? 0n) - share
  }
  const taxes = lines.map((line, i) => taxOf(line, left[i] ?? 0n))
  const sum = (all: readonly bigint[]) => all.reduce((a, b) => a + b, 0n)
  const shipping = sum(
    shippingGroups
      .filter(({ id }) => lines.some(({ shippingGroupId }) => shippingGroupId === id))
      .map(({ base, tax, fees }) => BigInt(base + tax + fees)),
  )
  const withTax = sum(left.map((net, i) => (lines[i]?.includesTax ? net : net + (taxes[i] ?? 0n))))
  const withoutTax = sum(left.map((net, i) => (lines[i]?.includesTax ? net - (taxes[i] ?? 0n) : net)))
  return {
    with_tax: Number(withTax + shipping),
    without_tax: Number(withoutTax + shipping),
    tax: Number(sum(taxes)),
    discount: Number(sum(left) - sum(values)),
    without_discount: Number(sum(values) + shipping),
    shipping: Number(shipping),
    shipping_discount: 0,
  }
}
