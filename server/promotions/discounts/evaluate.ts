import type { Steps } from '../../kernel/work/in-turns.ts'
import { automaticCode, type EnteredCode, usesLeftOf } from './codes.ts'
import type { DiscountCart, DiscountCause } from './discount-cart.ts'
import { cutTaking, type EffectView, isTaking, type MissingGifts, type Taking } from './effects/effect.ts'
import { pass } from './gates.ts'
import { inOrder, mayStack, type Promotion } from './promotion.ts'
import { type PromotionMessage, toMessage } from './reasons.ts'
import type { Share, ShippingShare } from './shares.ts'
import { type ItemSuggestion, type SuggestedGifts, toSuggestion } from './suggestions.ts'
import type { PromotionRefusal, PromotionVerdict } from './verdicts.ts'
import { toWorkingCart, type WorkingCart, type WorkingGroup, type WorkingLine } from './working-cart.ts'

/** What promotions do to a cart. */
export interface Evaluation {
  /** In the order of application, then in the order of the lines. */
  readonly shares: readonly Share[]
  readonly shippingShares: readonly ShippingShare[]
  /** One for each promotion, in the order in which they were considered. */
  readonly verdicts: readonly PromotionVerdict[]
  /** What a checkout takes from codes. */
  readonly uses: readonly CodeUse[]
  readonly messages: readonly PromotionMessage[]
  readonly suggestions: readonly ItemSuggestion[]
  /** Whole sets: if one gift cannot be added, none of the promotion is. */
  readonly giftsToAdd: readonly SuggestedGifts[]
  /** Units that promotions added and that none wants any more. */
  readonly giftsToRemove: readonly { readonly lineId: string; readonly quantity: number }[]
  /** When a promotion starts or ends next. */
  readonly holdsUntil: Date | undefined
}

export interface CodeUse {
  readonly code: string
  readonly promotionId: string
  readonly uses: number
}

/**
 * Applies promotions to a cart, each of their effects in a step. Their order does not matter, nor does that of codes
 * for different promotions. Of two codes for one promotion, the first that the shopper may use counts.
 */
export function* evaluate(
  cart: DiscountCart,
  promotions: readonly Promotion[],
  codes: readonly EnteredCode[],
): Steps<Evaluation> {
  const working = toWorkingCart(cart)
  const entered = Map.groupBy(codes, ({ promotionId }) => promotionId)
  const outcomes: LaneOutcome[] = []
  const applied: Promotion[] = []
  for (const promotion of inOrder(promotions)) {
    const outcome = yield* applyOne(promotion, working, entered.get(promotion.id) ?? [], applied)
    if (outcome.shares.length || outcome.shippingShares.length) applied.push(promotion)
    outcomes.push({
      ...outcome,
      shares: outcome.shares.map((share) => ({ ...share, ordinal: applied.length })),
    })
    yield
  }
  const verdicts = outcomes.map(({ verdict }) => verdict)
  return {
    shares: outcomes.flatMap(({ shares }) => shares),
    shippingShares: outcomes.flatMap(({ shippingShares }) => shippingShares),
    verdicts,
    uses: outcomes.flatMap(({ verdict, code }) =>
      verdict.verdict === 'applied' && code
        ? [{ code: code.code, promotionId: verdict.id, uses: verdict.uses }]
        : [],
    ),
    messages: outcomes.flatMap(({ promotion, verdict }) =>
      concerns(promotion, working) ? (toMessage(verdict) ?? []) : [],
    ),
    suggestions: outcomes.flatMap(({ promotion, missing, cause }) =>
      missing
        .filter(({ isAutoAdd }) => !isAutoAdd)
        .map((gifts) => toSuggestion(promotion, cause.code, gifts)),
    ),
    giftsToAdd: outcomes.flatMap(({ promotion, missing, cause }) =>
      missing
        .filter(({ isAutoAdd }) => isAutoAdd)
        .map(({ isFree, gifts }) => ({
          ...{ promotionId: promotion.id, code: cause.code, isFree, gifts },
        })),
    ),
    giftsToRemove: working.giftLines.flatMap(({ line, unclaimed }) =>
      unclaimed ? [{ lineId: line.id, quantity: unclaimed }] : [],
    ),
    holdsUntil: holdsUntil(promotions, cart.at),
  }
}

/** Nobody asked for an automatic promotion: what it lacks matters only to the lines that it would be for. */
const concerns = ({ isAutomatic, takesPart }: Promotion, { lines }: WorkingCart): boolean =>
  !isAutomatic || lines.some(({ line }) => takesPart(line))

interface LaneOutcome {
  readonly promotion: Promotion
  readonly cause: DiscountCause
  readonly code: EnteredCode | undefined
  readonly verdict: PromotionVerdict
  readonly shares: readonly Share[]
  readonly shippingShares: readonly ShippingShare[]
  readonly missing: readonly MissingGifts[]
}

function* applyOne(
  promotion: Promotion,
  working: WorkingCart,
  codes: readonly EnteredCode[],
  applied: readonly Promotion[],
): Steps<LaneOutcome> {
  const passage = pass(promotion, working, codes)
  const { code } = passage
  const source = promotion.lane === 'rule' ? 'rule' : 'standard'
  const { id, name } = promotion
  const cause: DiscountCause = { source, id, name, code: code?.code ?? automaticCode(id) }
  const considered = {
    source,
    id,
    name,
    code: code || promotion.isAutomatic ? cause.code : undefined,
  } as const
  const nothing = { promotion, cause, code, shares: [], shippingShares: [], missing: [] }
  const refuse = (refusal: PromotionRefusal): LaneOutcome => ({
    ...nothing,
    verdict: { ...considered, ...refusal },
  })
  if (passage.refusal) return refuse(passage.refusal)

  const lines = working.lines.filter(({ line }) => promotion.takesPart(line))
  const finding = promotion.condition.check({ cart: working, lines })
  if (!finding.isMet) return refuse({ verdict: 'condition_unmet', ...finding.unmet })
  const behind = promotion.lane === 'rule' ? applied.filter((one) => isRival(promotion, one)) : []
  if (behind.length) return refuse({ verdict: 'not_stackable', behind: behind.map((one) => one.id) })

  const taken = yield* takeAll(promotion, { cart: working, lines, finding, code, usesLeft: usesLeftOf(code) })
  const shares = toShares(taken.parts, cause)
  const shippingShares = toShippingShares(working, taken.parts, cause)
  const sumOf = (all: readonly { readonly amount: number }[]) =>
    all.reduce((sum, { amount }) => sum + amount, 0)
  const [amount, shipping] = [sumOf(shares), sumOf(shippingShares)]
  if (!amount && !shipping) return { ...refuse(taken.refusal), missing: taken.missing }
  const uses = code ? (code.consumes === 'checkout' ? 1 : taken.uses) : 0
  const verdict: PromotionVerdict = { ...considered, verdict: 'applied', amount, shipping, uses }
  return { ...nothing, verdict, shares, shippingShares, missing: taken.missing }
}

const isRival = (promotion: Promotion, other: Promotion): boolean =>
  other.lane === 'rule' && !mayStack(promotion, other)

interface TakingPart {
  readonly taking: Taking
  readonly isOfCart: boolean
}

/** What the effects of a promotion take, all together. */
interface PromotionTaking {
  readonly parts: readonly TakingPart[]
  readonly uses: number
  readonly missing: readonly MissingGifts[]
  readonly refusal: PromotionRefusal
}

/** Lets the effects of a promotion take, one after the other. */
function* takeAll(promotion: Promotion, view: EffectView): Steps<PromotionTaking> {
  const { currency } = view.cart.cart
  const parts: TakingPart[] = []
  const refusals: PromotionRefusal[] = []
  const missing: MissingGifts[] = []
  let uses = 0
  for (const effect of promotion.effects) {
    yield
    const found = effect.apply({ ...view, usesLeft: view.usesLeft - uses })
    const ceiling = effect.ceilingIn(currency)
    if (!isTaking(found)) {
      refusals.push(ceiling === 0 && found.verdict === 'code_spent' ? noSaving : found)
      continue
    }
    const taking = cutTaking(found, ceiling)
    const isNothing = [...taking.offs, ...taking.shipping].every(({ amount }) => amount === 0)
    missing.push(...(taking.missing ? [taking.missing] : []))
    commit(promotion, taking, isNothing)
    if (isNothing) {
      refusals.push(found.offs.some(({ amount }) => amount > 0) ? noSaving : taking.otherwise)
      continue
    }
    uses += taking.uses
    parts.push({ taking, isOfCart: effect.isOfCart })
  }
  return { parts, uses, missing, refusal: firstReason(refusals) }
}

const noSaving: PromotionRefusal = { verdict: 'no_saving' }

/** Of several effects, one that lacks nothing but uses of the code says the most. */
const firstReason = (refusals: readonly PromotionRefusal[]): PromotionRefusal =>
  refusals.find(({ verdict }) => verdict === 'code_spent') ?? refusals[0] ?? noSaving

/** Notes what an effect took, so that later ones find the rest. */
function commit({ id, lane }: Promotion, { offs, shipping }: Taking, isNothing: boolean): void {
  for (const { line, amount, units, isAdded } of offs) {
    if (isAdded) line.unclaimed -= units
    else line.left -= amount
    if (isAdded || isNothing || lane !== 'item') continue
    line.untouched -= units
    line.takenBy.add(id)
  }
  for (const { group, amount } of shipping) group.left -= amount
}

/** Sums up what a promotion took off each line. Only discounts of the cart have shares of 0. */
function toShares(parts: readonly TakingPart[], cause: DiscountCause): readonly Share[] {
  return [false, true].flatMap((isOfCart) => {
    const amounts = new Map<WorkingLine, number>()
    const offs = parts.filter((part) => part.isOfCart === isOfCart).flatMap(({ taking }) => taking.offs)
    for (const { line, amount } of offs) amounts.set(line, (amounts.get(line) ?? 0) + amount)
    return [...amounts]
      .filter(([, amount]) => amount > 0 || isOfCart)
      .sort(([one], [other]) => one.position - other.position)
      .map(([{ line }, amount]) => ({ lineId: line.id, amount: 0 - amount, cause, isOfCart, ordinal: 0 }))
  })
}

/** Sums up what a promotion took off each shipping group. */
function toShippingShares(
  { groups }: WorkingCart,
  parts: readonly TakingPart[],
  cause: DiscountCause,
): readonly ShippingShare[] {
  const amounts = new Map<WorkingGroup, number>()
  for (const { group, amount } of parts.flatMap(({ taking }) => taking.shipping)) {
    amounts.set(group, (amounts.get(group) ?? 0) + amount)
  }
  return groups.flatMap((group) => {
    const amount = amounts.get(group) ?? 0
    return amount > 0 ? [{ groupId: group.group.id, amount: 0 - amount, cause }] : []
  })
}

/** Until when the same cart, promotions and codes have the same outcome. */
function holdsUntil(promotions: readonly Promotion[], at: Date): Date | undefined {
  const changes = promotions
    .filter(({ isEnabled }) => isEnabled)
    .flatMap(({ startsAtMs, endsAtMs }) => [startsAtMs, endsAtMs])
    .filter((change) => change > at.getTime())
  return changes.length ? new Date(Math.min(...changes)) : undefined
}
