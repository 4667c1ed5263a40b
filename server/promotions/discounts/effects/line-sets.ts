import type { DiscountLine } from '../discount-cart.ts'
import type { PromotionRefusal } from '../verdicts.ts'
import type { WorkingLine } from '../working-cart.ts'
import { type Effect, type EffectView, type Off, off, taking } from './effect.ts'

/** A discount on sets of units of one line, each unit at its full price. A single unit is a set too. */
interface LineSets {
  /** How many units are in a set. At least 1. */
  readonly size: number
  /** How many units of a set get cheaper: each takes one use of a code. At least 1. */
  readonly discounted: number
  /** What is taken off some sets of units with this price. Not more than 0 where the set costs more than its units. */
  readonly saving: (unitPrice: number, sets: number, currency: string) => number
  /** How many sets of each product. */
  readonly setsMax: number
  readonly ceilingIn: Effect['ceilingIn']
}

/** Takes units that no other item-level promotion has taken, in the order of the lines. */
export function lineSets({ size, discounted, saving, setsMax, ceilingIn }: LineSets): Effect {
  return {
    isOfCart: false,
    ceilingIn,
    apply(view) {
      const { currency } = view.cart.cart
      const made = new Map<string, number>()
      const offs: Off[] = []
      let uses = 0
      for (const line of view.lines) {
        const key = productOf(line.line)
        const sets = Math.min(
          Math.floor(line.untouched / size),
          setsMax - (made.get(key) ?? 0),
          Math.floor((view.usesLeft - uses) / discounted),
        )
        const amount = sets > 0 ? saving(line.line.unitPrice, sets, currency) : 0
        if (amount <= 0) continue
        made.set(key, (made.get(key) ?? 0) + sets)
        uses += sets * discounted
        offs.push(off(line, amount, sets * size))
      }
      if (offs.length) return taking(offs, uses)
      const saves = ({ untouched, line: { unitPrice } }: WorkingLine) => {
        const sets = Math.min(Math.floor(untouched / size), setsMax)
        return sets > 0 && saving(unitPrice, sets, currency) > 0
      }
      return refuse(view, size, discounted, saves)
    },
  }
}

/** Lines that differ in what the shopper wrote on them are of the same product. */
const productOf = ({ id, productId, sku }: DiscountLine) => productId ?? sku ?? id

function refuse(
  { lines, usesLeft, code }: EffectView,
  size: number,
  discounted: number,
  saves: (line: WorkingLine) => boolean,
): PromotionRefusal {
  const most = (count: (line: WorkingLine) => number) => Math.max(0, ...lines.map(count))
  const has = most(({ untouched }) => untouched)
  if (!lines.length) return { verdict: 'no_line_matches' }
  if (has < size && most(({ quantity }) => quantity) >= size) return outdoneRefusal(lines)
  if (has < size) return { verdict: 'incomplete', needs: size, has }
  if (code && lines.some(saves)) {
    return { verdict: 'code_spent', code: code.code, needs: discounted, has: usesLeft }
  }
  return { verdict: most(({ line }) => line.unitPrice) ? 'no_saving' : 'nothing_left' }
}

export const outdoneRefusal = (lines: readonly WorkingLine[]): PromotionRefusal => ({
  verdict: 'outdone',
  by: [...new Set(lines.flatMap(({ takenBy }) => [...takenBy]))].sort(),
})
