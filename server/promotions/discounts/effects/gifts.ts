import type { DiscountLine } from '../discount-cart.ts'
import { firstSets, type Group, makeSets, type SetBatch } from '../make-sets.ts'
import type { MissingGift, PromotionRefusal } from '../verdicts.ts'
import type { WorkingLine } from '../working-cart.ts'
import { addedUnits, isOfAny, isProduct } from './added-units.ts'
import { refuseLack } from './bundle-discount.ts'
import { type Effect, type EffectView, off, taking } from './effect.ts'

interface Gifts {
  /** What a set of gifts comes with. At least one. */
  readonly requirements: readonly Requirement[]
  /** The SKUs or ids of products: a set has one unit of each. */
  readonly products: readonly string[]
  readonly takesPart: (line: DiscountLine) => boolean
  readonly isAutoAdd: boolean
  readonly setsMax: number
  readonly ceilingIn: Effect['ceilingIn']
}

interface Requirement {
  readonly products: readonly string[]
  readonly quantity: number
}

/**
 * Makes gifts free. Units that the shopper added count first. Where gifts are added automatically, the units that
 * promotions added are free as well, and those still missing are asked for.
 */
export function gifts(options: Gifts): Effect {
  const { requirements, products, takesPart, isAutoAdd, setsMax, ceilingIn } = options
  const groupOf = (some: readonly string[], more: Omit<Group, 'lines'>) => {
    const matches = isOfAny(some)
    return ({ lines }: EffectView): Group => ({ ...more, lines: lines.filter(({ line }) => matches(line)) })
  }
  const groupsOf = [
    ...requirements.map(({ products, quantity }) => groupOf(products, { quantity })),
    ...products.map((one) => groupOf([one], { quantity: 1, isOptional: true })),
  ]
  const giftTests = products.map(isProduct)
  return {
    isOfCart: false,
    ceilingIn,
    apply(view) {
      const groups = groupsOf.map((of) => of(view))
      const freeOf = ({ untouched }: WorkingLine) => untouched
      const { batches: earned, lack } = makeSets(groups, freeOf, setsMax)
      if (!earned.length && lack) return refuseLack(groups, lack, freeOf)
      const batches = firstSets(earned, Math.floor(view.usesLeft / products.length))
      if (!batches.length) return refuseUses(view, products.length)

      const { code } = view
      const isFree = !code || !isAutoAdd || code.isRepeated === true
      const added = addedUnits(isAutoAdd ? view.cart.giftLines.filter(({ line }) => takesPart(line)) : [])
      const units = new Map<WorkingLine, number>()
      const amounts = new Map<WorkingLine, number>()
      const missing = products.map((product) => ({ product, quantity: 0 }))
      let uses = 0
      let isWaiting = false
      for (const batch of batches) {
        let discounted = 0
        for (const [index, picked] of batch.picks.slice(requirements.length).entries()) {
          const line = picked?.[0]?.line
          const isOf = giftTests[index]
          const claimed = line || !isOf ? 0 : added.claim(isOf, batch.times, isFree)
          if (claimed && !isFree) isWaiting = true
          const free = line ? batch.times : isFree ? claimed : 0
          if (line) amounts.set(line, (amounts.get(line) ?? 0) + line.line.unitPrice * free)
          const gift = missing[index]
          if (gift && !line) gift.quantity += batch.times - claimed
          discounted = Math.max(discounted, free)
          uses += free
        }
        takeUnits(units, batch, discounted)
      }
      const wanted = missing.filter(({ quantity }) => quantity > 0)
      return taking(
        [...[...units].map(([line, count]) => off(line, amounts.get(line) ?? 0, count)), ...added.offs()],
        uses,
        {
          missing: wanted.length ? { gifts: wanted, isAutoAdd, isFree, requirements } : undefined,
          otherwise: explain(wanted, isWaiting ? code?.code : undefined),
        },
      )
    },
  }
}

/** Takes the units of some of the sets: those that the shopper pays for are no other promotion's either. */
function takeUnits(units: Map<WorkingLine, number>, { picks }: SetBatch, sets: number): void {
  if (!sets) return
  for (const { line, units: count } of picks.flatMap((picked = []) => picked)) {
    units.set(line, (units.get(line) ?? 0) + count * sets)
  }
}

const refuseUses = ({ code, usesLeft }: EffectView, needs: number): PromotionRefusal => ({
  ...{ verdict: 'code_spent', code: code?.code ?? '', needs, has: usesLeft },
})

function explain(gifts: readonly MissingGift[], code: string | undefined): PromotionRefusal {
  if (gifts.length) return { verdict: 'gift_missing', gifts }
  return code ? { verdict: 'enter_code_again', code } : { verdict: 'nothing_left' }
}
