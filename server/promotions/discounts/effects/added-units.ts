import type { DiscountLine } from '../discount-cart.ts'
import type { WorkingLine } from '../working-cart.ts'
import type { Off } from './effect.ts'

/** Claims units that promotions added to the cart. What no promotion claims is to be removed. */
interface AddedUnits {
  /** Claims up to some units of a product, free or at their full price, and returns how many there were. */
  readonly claim: (isOf: (line: DiscountLine) => boolean, count: number, isFree: boolean) => number
  readonly offs: () => readonly Off[]
}

export function addedUnits(lines: readonly WorkingLine[]): AddedUnits {
  const claimed = new Map<WorkingLine, number>()
  const free = new Map<WorkingLine, number>()
  return {
    claim(isOf, count, isFree) {
      let found = 0
      for (const line of lines.filter(({ line }) => isOf(line))) {
        const units = Math.min(count - found, line.unclaimed - (claimed.get(line) ?? 0))
        if (units <= 0) continue
        claimed.set(line, (claimed.get(line) ?? 0) + units)
        if (isFree) free.set(line, (free.get(line) ?? 0) + units)
        found += units
      }
      return found
    },
    offs: () =>
      [...claimed].map(([line, units]) => ({
        ...{ line, units, isAdded: true },
        amount: line.line.unitPrice * (free.get(line) ?? 0),
      })),
  }
}

/** Whether a line is of a product, by its SKU or id. */
export const isProduct =
  (product: string) =>
  ({ kind, sku, productId }: DiscountLine): boolean =>
    kind !== 'custom_item' && (sku === product || productId === product)

/** Whether a line is of one of these products, by their SKUs or ids. */
export function isOfAny(products: readonly string[]): (line: DiscountLine) => boolean {
  const listed = new Set(products)
  return ({ kind, sku, productId }) =>
    kind !== 'custom_item' &&
    ((sku !== undefined && listed.has(sku)) || (productId !== undefined && listed.has(productId)))
}
