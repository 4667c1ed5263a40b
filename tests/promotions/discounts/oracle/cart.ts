import type { ShippingGroup } from '../../../../server/promotions/discounts/discount-cart.ts'
import type { RuleDocument } from '../../../../server/promotions/discounts/rules/rule-document.ts'
import type { StandardDocument } from '../../../../server/promotions/discounts/standard/standard-document.ts'
import type { DiscountCart, DiscountLine } from '../../../../server/promotions/index.ts'
import { type Fraction, fraction, least, nearest, sum } from '../../../builders/prices/fractions.ts'
import { apportionSlowly } from '../../../builders/prices/slow-money.ts'

/** A cart in which every unit is an object of its own, for a program that follows docs/money.md word by word. */

export interface SlowCart {
  readonly cart: DiscountCart
  readonly lines: readonly SlowLine[]
  readonly groups: readonly SlowGroup[]
}

export interface SlowLine {
  readonly item: DiscountLine
  /** What the units cost before discounts. */
  readonly value: bigint
  /** What the shopper still pays for the units. */
  left: bigint
  /** Those that the shopper added. */
  readonly units: readonly Unit[]
  /** Those that promotions added: "they take part in no other promotion". */
  readonly added: readonly Unit[]
}

export interface Unit {
  readonly line: SlowLine
  /** The promotion of items that has the unit, or the promotion that an added unit is for. */
  promotion?: string
}

export interface SlowGroup {
  readonly group: ShippingGroup
  left: bigint
}

export type AnyDocument = { readonly createdAt: Date } & (
  | { readonly kind: 'standard'; readonly document: StandardDocument }
  | { readonly kind: 'rule'; readonly document: RuleDocument }
)

/** What a promotion takes off a line. At least 0 here. */
export interface Off {
  readonly line: SlowLine
  readonly amount: bigint
}

export interface Taking {
  readonly offs: readonly Off[]
  readonly isOfCart: boolean
  /** How many units, bundles or carts were discounted. */
  readonly applications: number
  /** The units that no other promotion of items gets. */
  readonly units?: readonly Unit[]
  /** What is taken off units that promotions added. */
  readonly ofAdded?: readonly Off[]
}

export function toSlowCart(cart: DiscountCart): SlowCart {
  return {
    cart,
    lines: cart.lines.map((item) => {
      const [units, added]: [Unit[], Unit[]] = [[], []]
      const ownQuantity = item.quantity - (item.autoAdded ?? 0)
      const value = nearest(fraction(BigInt(item.value) * BigInt(ownQuantity), BigInt(item.quantity)))
      const line = { item, value, left: value, units, added }
      for (let i = 0; i < item.quantity; i++) (i < ownQuantity ? units : added).push({ line })
      return line
    }),
    groups: cart.shippingGroups.map((group) => ({ group, left: BigInt(group.base) })),
  }
}

export const freeUnits = ({ units }: SlowLine) => units.filter(({ promotion }) => promotion === undefined)

/** "Of a line with discounts, each unit has the average price." */
export const averagePrice = ({ left, units }: SlowLine): Fraction => fraction(left, BigInt(units.length))

export const costOf = (units: readonly Unit[]) => sum(units.map(({ line }) => BigInt(line.item.unitPrice)))

/** Divides an amount in proportion to fractions. */
export function shareOut(total: bigint, weights: readonly Fraction[]): bigint[] {
  const below = weights.reduce((product, weight) => product * weight.below, 1n)
  const whole = weights.map((weight) => (weight.above * below) / weight.below)
  if (sum(whole) === 0n) return weights.map(() => 0n)
  return apportionSlowly(Number(total), whole).map(BigInt)
}

/** "A maximum cuts the sum of a discount that is divided among lines, before it is divided." */
export const atMost = (amount: bigint, most: bigint | undefined): bigint =>
  most === undefined ? amount : least(amount, most)

/** "Discounts that are rounded line by line are cut in proportion." */
export function cut<One extends { readonly amount: bigint }>(
  offs: readonly One[],
  most: bigint | undefined,
): readonly One[] {
  if (most === undefined || sum(offs.map(({ amount }) => amount)) <= most) return offs
  const shares = shareOut(
    most,
    offs.map(({ amount }) => fraction(amount)),
  )
  return offs.map((off, i) => ({ ...off, amount: shares[i] as bigint }))
}

/** Cuts what is taken of a cart, in the order of its lines. A promotion that takes nothing is refused. */
export function cutTaking<One extends Taking>(
  { lines }: SlowCart,
  taken: One,
  most: bigint | undefined,
): One | Refusal {
  const own = taken.offs.map((off) => ({ ...off, isAdded: false }))
  const all = [...own, ...(taken.ofAdded ?? []).map((off) => ({ ...off, isAdded: true }))]
  const offs = cut(
    all.toSorted((a, b) => lines.indexOf(a.line) - lines.indexOf(b.line)),
    most,
  )
  if (offs.every(({ amount }) => amount === 0n)) return refused('no_saving')
  return {
    ...taken,
    offs: offs.filter(({ isAdded }) => !isAdded),
    ofAdded: offs.filter(({ isAdded }) => isAdded),
  }
}

export const isTaking = (found: Taking | Refusal): found is Taking => 'offs' in found

/** Why a promotion takes nothing, with the values that decided it. */
export interface Refusal {
  readonly verdict: string
  readonly needs?: unknown
  readonly has?: unknown
}
export const refused = (verdict: string, values: object = {}): Refusal => ({ verdict, ...values })

/** "The promotions that have units of these lines." */
export const outdone = (lines: readonly SlowLine[]): Refusal =>
  refused('outdone', {
    by: [...new Set(lines.flatMap(({ units }) => units.flatMap(({ promotion }) => promotion ?? [])))].sort(),
  })
