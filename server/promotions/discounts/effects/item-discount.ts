import type { Exact, Ratio } from '../../../prices/index.ts'
import type { Condition } from '../conditions/condition.ts'
import { compare, minus, product, roundToAmount } from '../exact.ts'
import type { PromotionRefusal, UnmetNode } from '../verdicts.ts'
import { priceOf, type WorkingLine } from '../working-cart.ts'
import { addedUnits, isProduct } from './added-units.ts'
import { type Effect, type EffectView, type MissingGifts, off, taking } from './effect.ts'

/** What is taken off each unit, or some units for an amount. */
type ItemCut =
  | { readonly by: 'fixed'; readonly amount: number }
  | { readonly by: 'percent'; readonly rate: Ratio }
  | { readonly by: 'fixed_price'; readonly size: number; readonly amount: number }

interface ItemDiscount {
  readonly cut: ItemCut
  /** Where this says nothing about lines, the discount is for those that met the rules. */
  readonly condition: Condition
  readonly limits: ItemLimits
  /** The products that may be missing from the cart, by SKU or id. */
  readonly products: readonly string[]
  readonly ceilingIn: Effect['ceilingIn']
}

export interface ItemLimits {
  readonly linesMax: number
  readonly unitsOfLineMax: number
  readonly unitsMax: number
  readonly takesDearest: boolean
  /** Whether missing products are added, and whether they are suggested. */
  readonly isAutoAdd: boolean
  readonly isSuggested: boolean
}

/** Discounts units of lines, discounted before or not. */
export function itemDiscount(options: ItemDiscount): Effect {
  const { cut, condition, limits, ceilingIn } = options
  return {
    isOfCart: false,
    ceilingIn,
    apply(view) {
      const found = condition.check({ cart: view.cart, lines: view.lines })
      if (!found.isMet && !mayBeMissing(found.unmet, limits)) return unmet(found.unmet)
      const lines = found.isMet ? (found.lines ?? view.finding.lines ?? view.lines) : []
      const chosen = choose(lines, limits)
      let uses = 0
      const offs = chosen.flatMap(({ line, units }) => {
        const covered = Math.min(units, wholeSets(cut, view.usesLeft - uses))
        const { amount, discounted } = covered > 0 ? cutOf(cut, line, covered) : { amount: 0, discounted: 0 }
        if (amount <= 0) return []
        uses += discounted
        return [off(line, amount)]
      })
      const gifts = addGifts(view, lines, options)
      if (!offs.length && !gifts.offs.length && !gifts.missing) return refuse(view, lines, options)
      // Lines that hold nothing back keep their order, so a cut by the ceiling favours none by its price.
      const inOrder = offs.toSorted((one, other) => one.line.position - other.line.position)
      return taking([...inOrder, ...gifts.offs], uses, {
        missing: gifts.missing,
        ...(gifts.missing && { otherwise: { verdict: 'gift_missing', gifts: gifts.missing.gifts } }),
      })
    },
  }
}

const unmet = (node: UnmetNode): PromotionRefusal => ({ verdict: 'condition_unmet', ...node })

/** Whether the condition only names products that the cart does not have, and that are to be added or suggested. */
const mayBeMissing = ({ strategy }: UnmetNode, { isAutoAdd, isSuggested }: ItemLimits): boolean =>
  (isAutoAdd || isSuggested) && ['item_identifier', 'item_product_id', 'item_sku'].includes(strategy)

/** A line, and how many of its units the discount is for. */
interface ChosenLine {
  readonly line: WorkingLine
  readonly units: number
}

/** Sorts lines by price only if some are left out. Lines with nothing left to take are passed over. */
function choose(lines: readonly WorkingLine[], limits: ItemLimits): readonly ChosenLine[] {
  const { linesMax, unitsOfLineMax, unitsMax, takesDearest } = limits
  const candidates = lines.filter(({ left }) => left > 0)
  const sorted =
    Number.isFinite(linesMax) || Number.isFinite(unitsMax)
      ? candidates.toSorted((one, other) => (takesDearest ? -1 : 1) * compareUnitPrices(one, other))
      : candidates
  let unitsLeft = unitsMax
  return sorted.slice(0, linesMax).flatMap((line) => {
    const units = Math.min(line.quantity, unitsOfLineMax, unitsLeft)
    unitsLeft -= units
    return units > 0 ? [{ line, units }] : []
  })
}

function compareUnitPrices(one: WorkingLine, other: WorkingLine): number {
  const [first, second] = [one.left * other.quantity, other.left * one.quantity]
  if (Number.isSafeInteger(first) && Number.isSafeInteger(second)) return first - second
  return compare(product(one.left, other.quantity), product(other.left, one.quantity))
}

/** How many units a number of uses pays for: only whole sets are discounted. */
const wholeSets = (cut: ItemCut, uses: number): number =>
  cut.by === 'fixed_price' ? Math.floor(uses / cut.size) * cut.size : uses

interface LineCut {
  readonly amount: number
  /** How many units get cheaper. */
  readonly discounted: number
}

function cutOf(cut: ItemCut, line: WorkingLine, units: number): LineCut {
  if (cut.by === 'percent') {
    return { amount: roundToAmount(product(priceOf(line, units), cut.rate)), discounted: units }
  }
  if (cut.by === 'fixed') {
    const isWhole = compare(product(cut.amount, line.quantity), line.left) >= 0
    const amount: Exact = isWhole ? priceOf(line, units) : cut.amount * units
    return { amount: roundToAmount(amount), discounted: units }
  }
  const sets = Math.floor(units / cut.size)
  if (!sets) return { amount: 0, discounted: 0 }
  const discounted = sets * cut.size
  return { amount: roundToAmount(minus(priceOf(line, discounted), product(cut.amount, sets))), discounted }
}

/** Claims the units that were added for the promotion, and asks for products that the cart does not have. */
function addGifts(
  { cart, code }: EffectView,
  lines: readonly WorkingLine[],
  { products, limits }: ItemDiscount,
): Pick<ReturnType<typeof taking>, 'offs' | 'missing'> {
  const { isAutoAdd, isSuggested, linesMax, unitsOfLineMax, unitsMax } = limits
  if (!isAutoAdd && !isSuggested) return { offs: [], missing: undefined }
  // Without a limit for units there is no telling how many are meant: one is the least.
  const each = Number.isFinite(unitsOfLineMax) ? unitsOfLineMax : 1
  const added = addedUnits(isAutoAdd ? cart.giftLines : [])
  const held = unitsByProduct(lines)
  let unitsLeft = unitsMax
  const gifts = products.slice(0, linesMax).flatMap((one) => {
    const wanted = Math.min(each, unitsLeft)
    const lacking = Math.max(0, wanted - (held.get(one) ?? 0))
    unitsLeft -= wanted
    const quantity = lacking - added.claim(isProduct(one), lacking, true)
    return quantity > 0 ? [{ product: one, quantity }] : []
  })
  const missing: MissingGifts | undefined = gifts.length
    ? { gifts, isAutoAdd, isFree: !code, requirements: [] }
    : undefined
  return { offs: added.offs(), missing }
}

/** How many units the lines have of each product, by its SKU and by its id. */
function unitsByProduct(lines: readonly WorkingLine[]): ReadonlyMap<string, number> {
  const units = new Map<string, number>()
  for (const { line, quantity } of lines) {
    if (line.kind === 'custom_item') continue
    for (const name of new Set([line.sku, line.productId])) {
      if (name !== undefined) units.set(name, (units.get(name) ?? 0) + quantity)
    }
  }
  return units
}

function refuse(
  { usesLeft, code }: EffectView,
  lines: readonly WorkingLine[],
  { cut, limits }: ItemDiscount,
): PromotionRefusal {
  const chosen = choose(lines, limits)
  const most = Math.max(0, ...chosen.map(({ units }) => units))
  const needs = cut.by === 'fixed_price' ? cut.size : 1
  if (!lines.length) return { verdict: 'no_line_matches' }
  if (!chosen.length) return { verdict: 'nothing_left' }
  if (most < needs) return { verdict: 'incomplete', needs, has: most }
  if (code && chosen.some(({ line, units }) => cutOf(cut, line, units).amount > 0)) {
    return { verdict: 'code_spent', code: code.code, needs, has: usesLeft }
  }
  return { verdict: 'no_saving' }
}
