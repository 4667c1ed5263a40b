import { addRatios, apportion, type Exact, type Ratio } from '../../../prices/index.ts'
import { compare, minus, product, roundToAmount, smaller } from '../exact.ts'
import { firstSets, type Group, makeSets, type SetBatch, type Sets } from '../make-sets.ts'
import type { PromotionRefusal } from '../verdicts.ts'
import type { WorkingLine } from '../working-cart.ts'
import { type Effect, type EffectView, off, stopAt, taking } from './effect.ts'
import { outdoneRefusal } from './line-sets.ts'

/** What is taken off one bundle. */
type BundleCut =
  | { readonly by: 'fixed' | 'fixed_price'; readonly amountIn: (currency: string) => number }
  | { readonly by: 'percent'; readonly rate: Ratio }

interface BundleDiscount {
  readonly cut: BundleCut
  /** The groups of a bundle. Of several bundles, the first that the cart has is discounted. */
  readonly bundlesIn: (view: EffectView) => readonly (() => readonly Group[])[] | PromotionRefusal
  /** The units of a line that bundles may be made of. */
  readonly availableOf: (line: WorkingLine) => number
  /** What units of a line cost. */
  readonly priceOf: (line: WorkingLine, units: number) => Exact
  readonly bundlesMax: number
  /** What a code pays for: each unit, or each bundle. */
  readonly unit: 'unit' | 'bundle'
  /** Whether other item-level promotions get no unit of the bundles. */
  readonly takesUnits: boolean
  readonly ceilingIn: Effect['ceilingIn']
}

/** Discounts complete bundles. What all of them save is divided among their lines at once. */
export function bundleDiscount(options: BundleDiscount): Effect {
  const { bundlesIn, availableOf, priceOf, bundlesMax, unit, takesUnits, ceilingIn } = options
  return {
    isOfCart: false,
    ceilingIn,
    apply(view) {
      const bundles = bundlesIn(view)
      if ('verdict' in bundles) return bundles
      const { sets, groups } = firstBundle(bundles, availableOf)
      if (!groups) return { verdict: 'no_line_matches' }
      if (!sets.batches.length && sets.lack) return refuseLack(groups, sets.lack, availableOf)
      const { currency } = view.cart.cart
      // A bundle that costs more than its units is passed over, and no limit counts it.
      const cheaper = sets.batches
        .map((batch) => ({ ...batch, saving: savingOf(batch, options, currency) }))
        .filter(({ saving }) => compare(saving, 0) > 0)
      const savingsOf = (batches: Readonly<typeof cheaper>) =>
        stopAt(
          ceilingIn(currency),
          roundToAmount(addRatios(batches.map(({ saving, times }) => product(saving, times)))),
        )
      const allowed = firstSets(cheaper, bundlesMax)
      const uses = usesOf(groups, unit)
      const paidFor = firstSets(allowed, Math.floor(view.usesLeft / uses))
      const amount = savingsOf(paidFor)
      if (!amount) {
        return view.code && savingsOf(allowed)
          ? { verdict: 'code_spent', code: view.code.code, needs: uses, has: view.usesLeft }
          : { verdict: 'no_saving' }
      }
      const units = unitsOf(paidFor)
      const lines = [...units].sort(([one], [other]) => one.position - other.position)
      const values = lines.map(([line, count]) => priceOf(line, count))
      const shares = apportion(amount, values)
      const count = paidFor.reduce((sum, { times }) => sum + times, 0)
      return taking(
        lines.map(([line, count], index) => off(line, shares[index] ?? 0, takesUnits ? count : 0)),
        count * uses,
      )
    },
  }
}

const usesOf = (groups: readonly Group[], unit: 'unit' | 'bundle') =>
  unit === 'bundle' ? 1 : groups.reduce((sum, { quantity }) => sum + quantity, 0)

/** The first bundle that the cart has, or the first at all. Those after it are not looked at. */
function firstBundle(
  bundles: readonly (() => readonly Group[])[],
  availableOf: BundleDiscount['availableOf'],
): { readonly sets: Sets; readonly groups: readonly Group[] | undefined } {
  let first: { readonly sets: Sets; readonly groups: readonly Group[] } | undefined
  for (const groupsOf of bundles) {
    const groups = groupsOf()
    if (!groups.length) continue
    const made = { groups, sets: makeSets(groups, availableOf) }
    if (made.sets.batches.length) return made
    first ??= made
  }
  return first ?? { groups: undefined, sets: { batches: [], lack: undefined } }
}

const priceOfOne = ({ picks }: SetBatch, priceOf: BundleDiscount['priceOf']): Ratio =>
  addRatios(picks.flatMap((picked = []) => picked.map(({ line, units }) => priceOf(line, units))))

function savingOf(batch: SetBatch, { cut, priceOf }: BundleDiscount, currency: string): Exact {
  const value = priceOfOne(batch, priceOf)
  if (cut.by === 'percent') return product(value, cut.rate)
  const amount = cut.amountIn(currency)
  return cut.by === 'fixed' ? smaller(amount, value) : minus(value, amount)
}

/** How many units of each line are in all these sets. */
function unitsOf(batches: readonly SetBatch[]): ReadonlyMap<WorkingLine, number> {
  const units = new Map<WorkingLine, number>()
  for (const { times, picks } of batches) {
    for (const pick of picks.flatMap((picked = []) => picked)) {
      units.set(pick.line, (units.get(pick.line) ?? 0) + pick.units * times)
    }
  }
  return units
}

/** Says whether a group has too few units, or whether there is a set with those that earlier promotions took. */
export function refuseLack(
  groups: readonly Group[],
  { group, needs, has }: NonNullable<Sets['lack']>,
  availableOf: (line: WorkingLine) => number,
): PromotionRefusal {
  const lines = groups.flatMap((one) => (one.isOptional ? [] : one.lines))
  if (!lines.length) return { verdict: 'no_line_matches' }
  const isTaken = lines.some((line) => availableOf(line) < line.quantity)
  if (isTaken && makeSets(groups, ({ quantity }) => quantity, 1).batches.length) return outdoneRefusal(lines)
  return { verdict: 'incomplete', needs, has, group: group + 1 }
}
