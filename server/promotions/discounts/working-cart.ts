import { type Exact, multiply, ratio, sum } from '../../prices/index.ts'
import type { DiscountCart, DiscountLine, ShippingGroup } from './discount-cart.ts'

/** A cart while promotions apply to it one after the other. */
export interface WorkingCart {
  readonly cart: DiscountCart
  /** Lines with units that the shopper added. Conditions and discounts look at these units. */
  readonly lines: readonly WorkingLine[]
  /** Lines with units that promotions added. */
  readonly giftLines: readonly WorkingLine[]
  readonly groups: readonly WorkingGroup[]
  /** What all lines cost before discounts. */
  readonly value: number
}

export interface WorkingLine {
  readonly line: DiscountLine
  readonly position: number
  /** Units that the shopper added. */
  readonly quantity: number
  /** What these units cost after the discounts so far. */
  left: number
  /** Of these units: those that no item-level promotion has taken. */
  untouched: number
  /** The item-level promotions that have taken units. */
  readonly takenBy: Set<string>
  /** Units that promotions added, and that no promotion has asked for so far. */
  unclaimed: number
}

export interface WorkingGroup {
  readonly group: ShippingGroup
  left: number
}

export function toWorkingCart(cart: DiscountCart): WorkingCart {
  const all = cart.lines.map((line, position): WorkingLine => {
    const quantity = line.quantity - (line.autoAdded ?? 0)
    const left =
      quantity === line.quantity ? line.value : multiply(line.value, ratio(quantity, line.quantity))
    return {
      ...{ line, position, quantity, left },
      ...{ untouched: quantity, takenBy: new Set(), unclaimed: line.autoAdded ?? 0 },
    }
  })
  const lines = all.filter(({ quantity }) => quantity > 0)
  return {
    cart,
    lines,
    giftLines: all.filter(({ unclaimed }) => unclaimed > 0),
    groups: cart.shippingGroups.map((group) => ({ group, left: group.base })),
    value: sum(lines.map(({ left }) => left)),
  }
}

/** What some units of a line cost now. Where some are discounted already, all have the average. */
export function priceOf({ line, quantity, left }: WorkingLine, units: number): Exact {
  if (units === quantity) return left
  if (left === line.unitPrice * quantity) return line.unitPrice * units
  return ratio(BigInt(left) * BigInt(units), quantity)
}
