import type { ByKey } from '../pricebooks/stored-prices.ts'
import type { PriceAmount, PriceAmounts } from './resolve-price.ts'

/**
 * A selected option of a bundle, its quantity and its unit price. The price is undefined where the option has none.
 */
interface BundlePart {
  readonly quantity: number
  readonly price: { readonly currencies: PriceAmounts; readonly original?: PriceAmounts } | undefined
}

interface BundlePrice {
  readonly currencies: PriceAmounts
  readonly original?: PriceAmounts
}

/**
 * Adds up the prices of a bundle's parts, in each currency that all parts have, with the same tax treatment.
 * Undefined where a part has no price, or no currency is left.
 */
export function bundlePrice(parts: readonly BundlePart[]): BundlePrice | undefined {
  const priced = parts.flatMap(({ quantity, price }) => (price ? [{ quantity, ...price }] : []))
  const [first] = priced
  if (!first || priced.length < parts.length) return undefined
  const now = priced.map(({ quantity, currencies }) => ({ quantity, amounts: currencies }))
  const before = priced.map(({ quantity, currencies, original }) => ({
    quantity,
    amounts: { ...currencies, ...original },
  }))
  const currencies = sums(now)
  const onSale = new Set(priced.flatMap(({ original }) => Object.keys(original ?? {})))
  const original = Object.entries(sums(before)).filter(([code]) => onSale.has(code) && currencies[code])
  if (!Object.keys(currencies).length) return undefined
  return { currencies, ...(original.length && { original: Object.fromEntries(original) }) }
}

function sums(
  parts: readonly { readonly quantity: number; readonly amounts: PriceAmounts }[],
): ByKey<PriceAmount> {
  const codes = Object.keys(parts[0]?.amounts ?? {})
  const summed = codes.flatMap((code): [string, PriceAmount][] => {
    const each = parts.flatMap(({ amounts }) => amounts[code] ?? [])
    const [first] = each
    if (!first || each.length < parts.length) return []
    // An amount with tax and an amount without tax cannot be added.
    if (each.some(({ includes_tax }) => includes_tax !== first.includes_tax)) return []
    const amount = parts.reduce((sum, part) => sum + part.quantity * (part.amounts[code]?.amount ?? 0), 0)
    // Neither clients nor the database can hold a larger number exactly.
    if (!Number.isSafeInteger(amount)) return []
    return [[code, { amount, includes_tax: first.includes_tax }]]
  })
  return Object.fromEntries(summed)
}
