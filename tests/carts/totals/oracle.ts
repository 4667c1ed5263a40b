import type { TotalsCart, TotalsLine, TotalsTax } from '../../../server/carts/totals/totals-cart.ts'
import {
  type Fraction,
  floor,
  fraction,
  half,
  least,
  minus,
  nearest,
  over,
  plus,
  sum,
  times,
  written,
} from '../../builders/prices/fractions.ts'
import { apportionSlowly } from '../../builders/prices/slow-money.ts'

/**
 * The totals of a cart as docs/money.md says them, sentence by sentence: in fractions, unit by unit, and without any
 * code of the server.
 */

/** The nearest, and of two equally near ones the smaller. */
const nearestBelow = (value: Fraction): bigint => -floor(minus(half, value))

/** The taxes of a price for all units. As many parts of it are rounded one by one. */
function taxesOf(price: bigint, parts: number, includesTax: boolean, taxes: readonly TotalsTax[]): bigint[] {
  return includesTax ? taxesIn(price, parts, taxes) : taxesOnTop(price, parts, taxes)
}

function taxesOnTop(price: bigint, parts: number, taxes: readonly TotalsTax[]): bigint[] {
  return taxes.map((tax) => {
    if ('amount' in tax) return BigInt(tax.amount)
    let all = 0n
    for (let part = 0; part < parts; part++) {
      all += nearest(times(fraction(price, BigInt(parts)), written(tax.rate)))
    }
    return all
  })
}

function taxesIn(price: bigint, parts: number, taxes: readonly TotalsTax[]): bigint[] {
  let left = price
  const found = taxes.map((tax) => {
    if (!('amount' in tax)) return 0n
    const taken = least(BigInt(tax.amount), left)
    left -= taken
    return taken
  })
  const rates = taxes.map((tax) => ('rate' in tax ? written(tax.rate) : fraction(0n)))
  const all = rates.reduce(plus, fraction(0n))
  const part = fraction(left, BigInt(parts))
  const taxOfPart = minus(part, over(part, plus(fraction(1n), all)))
  let extracted = 0n
  for (let i = 0; i < parts; i++) extracted += nearestBelow(taxOfPart)
  extracted = least(extracted, left)
  if (all.above === 0n) return found
  const weights = rates.map((rate) => (rate.above * 10n ** 12n) / rate.below)
  return apportionSlowly(Number(extracted), weights).map((share, i) => (found[i] ?? 0n) + BigInt(share))
}

function taxesOfLine(line: TotalsLine, price: bigint, rounding: 'line' | 'simple'): bigint[] {
  const parts = (units: number) => (rounding === 'simple' ? units : 1)
  const found = taxesOf(price, parts(line.quantity), line.includesTax, line.taxes)
  for (const { unitPrice, quantity, includesTax, taxes } of line.components ?? []) {
    const units = quantity * line.quantity
    found.push(...taxesOf(BigInt(unitPrice) * BigInt(units), parts(units), includesTax, taxes))
  }
  if (!line.includesTax) return found
  let left = price
  return found.map((tax) => {
    const taken = least(tax, left)
    left -= taken
    return taken
  })
}

/** What discounts take of each line: for each cause, in the order of application. All are at least 0 here. */
function takenOf({ lines, discounts }: TotalsCart): { id: string; isOfCart: boolean; byLine: bigint[] }[] {
  if (discounts.source === 'promotions') {
    const ordinals = [...new Set(discounts.shares.map(({ ordinal }) => ordinal))].sort((a, b) => a - b)
    return ordinals.map((ordinal) => {
      const shares = discounts.shares.filter((share) => share.ordinal === ordinal)
      const byLine = lines.map(({ id }) =>
        sum(shares.filter(({ lineId }) => lineId === id).map(({ amount }) => BigInt(-amount))),
      )
      return { id: shares[0]?.cause.id ?? '', isOfCart: shares.some(({ isOfCart }) => isOfCart), byLine }
    })
  }
  const left = lines.map(({ unitPrice, quantity }) => BigInt(unitPrice) * BigInt(quantity))
  const ofLines = discounts.ofLines.map(({ id, lineId, amount }) => {
    const byLine = lines.map((line, i) => (line.id === lineId ? least(BigInt(-amount), left[i] ?? 0n) : 0n))
    for (const [i, taken] of byLine.entries()) left[i] = (left[i] ?? 0n) - taken
    return { id, isOfCart: false, byLine }
  })
  const ofCart = discounts.ofCart.map(({ id, amount }) => {
    const taken = least(BigInt(-amount), sum(left))
    const byLine = taken === 0n ? left.map(() => 0n) : apportionSlowly(Number(taken), left).map(BigInt)
    for (const [i, share] of byLine.entries()) left[i] = (left[i] ?? 0n) - share
    return { id, isOfCart: true, byLine }
  })
  return [...ofLines, ...ofCart]
}

/** The prices of a line: of all units, and of one. */
function pricesOfLine(line: TotalsLine, discount: bigint, tax: bigint) {
  const value = BigInt(line.unitPrice) * BigInt(line.quantity)
  const discounted = value - discount
  const prices = {
    with_tax: line.includesTax ? discounted : discounted + tax,
    without_tax: line.includesTax ? discounted - tax : discounted,
    tax,
    discount: -discount,
    without_discount: value,
  }
  const unit = (of: bigint) => Number(nearest(fraction(of, BigInt(line.quantity))))
  return Object.fromEntries(
    Object.entries(prices).map(([name, of]) => [name, { unit: unit(of), value: Number(of) }]),
  )
}

export function slowTotals(cart: TotalsCart) {
  const { method, lines, discounts, shippingGroups } = cart
  const values = lines.map(({ unitPrice, quantity }) => BigInt(unitPrice) * BigInt(quantity))
  const isSimple = method === 'simple'
  const taken = takenOf(cart)
  const discountOf = lines.map((_, i) => (isSimple ? 0n : sum(taken.map(({ byLine }) => byLine[i] ?? 0n))))
  const taxes = lines.map((line, i) => taxesOfLine(line, (values[i] ?? 0n) - (discountOf[i] ?? 0n), method))
  const prices = lines.map((line, i) => pricesOfLine(line, discountOf[i] ?? 0n, sum(taxes[i] ?? [])))
  const ofAll = (name: string) => sum(prices.map((one) => BigInt(one[name]?.value ?? 0)))

  let untaxed = ofAll('without_tax')
  const cartPromotions: { id: string; amount: number }[] = []
  for (const { id, isOfCart, byLine } of discounts.source === 'custom' ? [] : taken) {
    const isStandard =
      discounts.source === 'promotions' &&
      discounts.shares.some(({ cause }) => cause.id === id && cause.source === 'standard')
    if (!isOfCart || (isSimple && !isStandard)) continue
    const amount = isSimple ? least(sum(byLine), untaxed) : sum(byLine)
    untaxed -= amount
    if (amount > 0n) cartPromotions.push({ id, amount: -Number(amount) })
  }
  const offTotal = isSimple ? sum(cartPromotions.map(({ amount }) => BigInt(amount))) : 0n

  const linked = shippingGroups.filter(({ id }) => lines.some((line) => line.shippingGroupId === id))
  const shipping = sum(linked.map(({ base, tax, fees }) => BigInt(base + tax + fees)))
  const shippingDiscount =
    discounts.source === 'custom'
      ? 0n
      : sum(
          discounts.shippingShares
            .filter(({ groupId }) => linked.some(({ id }) => id === groupId))
            .map(({ amount }) => BigInt(amount)),
        )
  return {
    lines: prices,
    taxes: taxes.map((ofLine) => ofLine.map(Number)),
    cartPromotions,
    prices: {
      with_tax: Number(ofAll('with_tax') + offTotal + shipping + shippingDiscount),
      without_tax: Number(ofAll('without_tax') + offTotal + shipping + shippingDiscount),
      tax: Number(ofAll('tax')),
      discount: Number(ofAll('discount') + offTotal),
      without_discount: Number(ofAll('without_discount') + shipping),
      shipping: Number(shipping),
      shipping_discount: Number(shippingDiscount),
    },
  }
}
