import { addRatios, apportion, type Exact, type Ratio, sum } from '../../../prices/index.ts'
import type { Condition } from '../conditions/condition.ts'
import { product, roundToAmount, smaller } from '../exact.ts'
import { priceOf } from '../working-cart.ts'
import { type Effect, off, stopAt, taking } from './effect.ts'

/** What is taken off a value: an amount, in a currency, or a part of it. */
type Cut =
  | { readonly by: 'fixed'; readonly amountIn: (currency: string) => number }
  | { readonly by: 'percent'; readonly rateIn: (currency: string) => Ratio }

interface CartDiscount {
  readonly cut: Cut
  /** What a code pays for: each unit of the lines, or all of them at once. */
  readonly unit: 'unit' | 'cart'
  /** The lines it is for. Where this says nothing about lines: all. */
  readonly condition: Condition
  readonly ceilingIn: Effect['ceilingIn']
}

/** Takes something off what lines cost together, and divides it among them in proportion to what each costs. */
export function cartDiscount({ cut, unit, condition, ceilingIn }: CartDiscount): Effect {
  return {
    isOfCart: true,
    ceilingIn,
    apply({ cart, lines: all, usesLeft, code }) {
      const finding = condition.check({ cart, lines: all })
      if (!finding.isMet) return { verdict: 'condition_unmet', ...finding.unmet }
      const lines = finding.lines ?? all
      if (!lines.length) return { verdict: 'no_line_matches' }
      const limit = unit === 'unit' ? usesLeft : usesLeft < 1 ? 0 : Number.POSITIVE_INFINITY
      if (code && limit < 1) return { verdict: 'code_spent', code: code.code, needs: 1, has: usesLeft }
      let units = 0
      const values = lines.map((line) => {
        const covered = Math.min(line.quantity, limit - units)
        units += covered
        return priceOf(line, covered)
      })
      const everything = sum(lines.map(({ left }) => left))
      if (!everything) return { verdict: 'nothing_left' }
      const { currency } = cart.cart
      const amountOf = (whole: Exact) => {
        const cutOff =
          cut.by === 'fixed' ? smaller(cut.amountIn(currency), whole) : product(whole, cut.rateIn(currency))
        // The sum stops at the ceiling, so it is divided once.
        return stopAt(ceilingIn(currency), roundToAmount(cutOff))
      }
      const amount = amountOf(sumOf(values))
      if (!amount) {
        return code && amountOf(everything)
          ? { verdict: 'code_spent', code: code.code, needs: units + 1, has: usesLeft }
          : { verdict: 'no_saving' }
      }
      const shares = apportion(amount, values)
      return taking(
        lines.map((line, index) => off(line, shares[index] ?? 0)),
        unit === 'unit' ? units : 1,
      )
    },
  }
}

const sumOf = (values: readonly Exact[]): Exact =>
  values.every((value) => typeof value === 'number')
    ? values.reduce((sum, value) => sum + value, 0)
    : addRatios(values)

type ShippingCut =
  | { readonly by: 'fixed' | 'fixed_price'; readonly amount: number }
  | { readonly by: 'percent'; readonly rate: Ratio }

interface ShippingDiscount {
  readonly cut: ShippingCut
  /** Undefined: any. */
  readonly shippingTypes: ReadonlySet<unknown> | undefined
  readonly ceilingIn: Effect['ceilingIn']
}

/** Takes something off the base price of each shipping group. */
export const shippingDiscount = ({ cut, shippingTypes, ceilingIn }: ShippingDiscount): Effect => ({
  isOfCart: false,
  ceilingIn,
  apply({ cart, usesLeft, code }) {
    const groups = cart.groups.filter(({ group }) => shippingTypes?.has(group.shippingType) ?? true)
    if (!groups.length) return { verdict: 'no_line_matches' }
    if (code && usesLeft < 1) return { verdict: 'code_spent', code: code.code, needs: 1, has: usesLeft }
    const shipping = groups.map((group) => ({ group, amount: Math.min(group.left, cutOf(cut, group.left)) }))
    if (groups.every(({ left }) => left === 0)) return { verdict: 'nothing_left' }
    if (shipping.every(({ amount }) => amount === 0)) return { verdict: 'no_saving' }
    return taking([], 1, { shipping })
  },
})

function cutOf(cut: ShippingCut, base: number): number {
  if (cut.by === 'fixed') return cut.amount
  return cut.by === 'percent' ? roundToAmount(product(base, cut.rate)) : Math.max(0, base - cut.amount)
}
