import { addRatios, apportion, decimal, type Ratio, ratio, round, sum, toAmount } from '../../prices/index.ts'
import type { LineTax } from './cart-totals.ts'
import type { TotalsComponent, TotalsLine, TotalsTax } from './totals-cart.ts'

/** Something that tax items belong to. */
interface TaxedPrice {
  readonly price: number
  readonly includesTax: boolean
  readonly taxes: readonly TotalsTax[]
  /** How many equal parts of the price are rounded one by one: all units in the simple method, otherwise one. */
  readonly parts: number
}

type TaxAmount = Omit<LineTax, 'componentId'>

/** The taxes of a line at a price for all its units, and then those of its components. */
export function lineTaxes(line: TotalsLine, price: number, rounding: 'line' | 'unit'): readonly LineTax[] {
  const { quantity, includesTax, taxes } = line
  const own = taxesOn({ price, includesTax, taxes, parts: rounding === 'unit' ? quantity : 1 })
  const components = (line.components ?? []).flatMap((component) =>
    taxesOn(taxedComponent(component, quantity, rounding)).map((tax) => ({
      ...tax,
      componentId: component.id,
    })),
  )
  if (!includesTax) return [...own, ...components]
  // All of it is contained in the price, so together it cannot be more.
  return stopAt(price, [...own, ...components])
}

function taxedComponent(component: TotalsComponent, quantity: number, rounding: 'line' | 'unit'): TaxedPrice {
  const units = toAmount(BigInt(component.quantity) * BigInt(quantity))
  const price = toAmount(BigInt(component.unitPrice) * BigInt(units))
  const { includesTax, taxes } = component
  return { price, includesTax, taxes, parts: rounding === 'unit' ? units : 1 }
}

const taxesOn = (taxed: TaxedPrice): readonly TaxAmount[] =>
  taxed.includesTax ? containedTaxes(taxed) : addedTaxes(taxed)

/** Each rate on its own. */
function addedTaxes({ price, taxes, parts }: TaxedPrice): readonly TaxAmount[] {
  return taxes.map((tax) => {
    if ('amount' in tax) return { id: tax.id, amount: tax.amount }
    const { numerator, denominator } = decimal(tax.rate)
    const ofPart = round(ratio(BigInt(price) * numerator, BigInt(parts) * denominator))
    return { id: tax.id, base: price, amount: toAmount(ofPart * BigInt(parts)) }
  })
}

/** Amounts come off first. What is left is the price without tax and all rates of it. */
function containedTaxes({ price, taxes, parts }: TaxedPrice): readonly TaxAmount[] {
  // A tax with a rate takes nothing yet, and a tax with an amount has no share of the rates.
  const stopped = stopAt(
    price,
    taxes.map((tax) => ({ tax, amount: 'amount' in tax ? tax.amount : 0 })),
  )
  const rates = taxes.map((tax) => ('rate' in tax ? decimal(tax.rate) : ratio(0)))
  const base = price - sum(stopped.map(({ amount }) => amount))
  const shares = apportion(extractTax(base, addRatios(rates), parts), rates)
  return stopped.map(({ tax: { id, ...tax }, amount }, index) =>
    'rate' in tax ? { id, base, amount: shares[index] as number } : { id, amount },
  )
}

/**
 * The tax in a price, part by part. The price without tax is rounded half up, so the tax is rounded half down. A part
 * need not be whole, and then the rounded ones could exceed the price together.
 */
function extractTax(price: number, rate: Ratio, parts: number): number {
  const numerator = BigInt(price) * rate.numerator
  const denominator = BigInt(parts) * (rate.numerator + rate.denominator)
  const ofPart = (2n * numerator + denominator - 1n) / (2n * denominator)
  const all = ofPart * BigInt(parts)
  return all > BigInt(price) ? price : toAmount(all)
}

/** Lets taxes in their order use up a price. */
function stopAt<T extends { readonly amount: number }>(price: number, taxes: readonly T[]): readonly T[] {
  let left = price
  return taxes.map((tax) => {
    const amount = Math.min(tax.amount, left)
    left -= amount
    return { ...tax, amount }
  })
}
