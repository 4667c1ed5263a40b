import type { RuleDocument } from '../../../../server/promotions/discounts/rules/rule-document.ts'
import type { StandardDocument } from '../../../../server/promotions/discounts/standard/standard-document.ts'
import type { DiscountCart, EnteredCode } from '../../../../server/promotions/index.ts'
import { sum } from '../../../builders/prices/fractions.ts'
import {
  type AnyDocument,
  cutTaking,
  isTaking,
  type Refusal,
  refused,
  type SlowCart,
  type Taking,
  toSlowCart,
} from './cart.ts'
import { findAll } from './conditions.ts'
import { type ActionOutcome, act, type ShippingOff, scopeOf, usesOfNext } from './rules.ts'
import {
  applyStandard,
  isOfCart,
  type MissingGifts,
  type StandardOutcome,
  usesOfNext as usesOfNextStandard,
} from './standard.ts'

/**
 * What promotions take off a cart as chapter 9 of docs/money.md says it: sentence by sentence, unit by unit, in
 * fractions, and without any code of the server.
 */
export function slowEvaluate(
  cart: DiscountCart,
  promotions: readonly AnyDocument[],
  codes: readonly EnteredCode[],
) {
  const slow = toSlowCart(cart)
  const applied: AnyDocument[] = []
  const outcomes = inOrder(promotions).map((promotion) => {
    const entered = codes.filter(({ promotionId }) => promotionId === promotion.document.id)
    const { refusal, code } = gate(promotion, slow, entered)
    const rivals = applied.filter((other) => !stack(promotion, other))
    const outcome: Outcome =
      refusal ??
      (promotion.kind === 'standard'
        ? applyStandardTo(promotion.document, slow, code)
        : applyRuleTo(promotion.document, slow, code, rivals))
    if ('parts' in outcome) applied.push(promotion)
    return report(promotion.document.id, slow, code, outcome, applied.length)
  })
  return {
    shares: outcomes.flatMap(({ shares }) => shares),
    shippingShares: outcomes.flatMap(({ shippingShares }) => shippingShares),
    verdicts: outcomes.map(({ verdict }) => verdict),
    uses: outcomes.flatMap(({ uses }) => uses),
    giftsToAdd: outcomes.flatMap(({ giftsToAdd }) => giftsToAdd),
    giftsToRemove: slow.lines.flatMap(({ item, added }) => {
      const quantity = added.filter(({ promotion }) => promotion === undefined).length
      return quantity ? [{ lineId: item.id, quantity }] : []
    }),
  }
}

type Outcome = (Refusal | Application) & { readonly missing?: readonly MissingGifts[] }

interface Application {
  readonly parts: readonly Taking[]
  readonly shipping: readonly ShippingOff[]
}

const endless = Number.POSITIVE_INFINITY

/** "Nothing but the uses that are left of the code." What gifts lack comes first. */
function explain<Found extends object>(
  found: Found | Refusal,
  uses: number,
  withUses: (uses: number) => object,
  needs: number,
): Found | Refusal {
  if (!('verdict' in found) || uses === endless || ['gift_missing', 'code_spent'].includes(found.verdict)) {
    return found
  }
  return 'verdict' in withUses(endless) ? found : { ...found, ...refused('code_spent', { needs, has: uses }) }
}

/** What the evaluator says of a promotion. */
function report(
  id: string,
  slow: SlowCart,
  entered: EnteredCode | undefined,
  outcome: Outcome,
  ordinal: number,
) {
  const giftsToAdd = (outcome.missing ?? [])
    .filter(({ isAdded }) => isAdded)
    .map(({ gifts, isFree }) => ({ promotionId: id, isFree, gifts }))
  if (!('parts' in outcome)) {
    const { missing: _, ...reason } = outcome
    return { shares: [], shippingShares: [], verdict: { id, ...reason }, uses: [], giftsToAdd }
  }
  const code = entered?.code ?? `auto_${id}`
  const shares = [false, true].flatMap((isOfCart) => {
    const parts = outcome.parts.filter((part) => part.isOfCart === isOfCart)
    const offs = parts.flatMap((part) => [...part.offs, ...(part.ofAdded ?? [])])
    return slow.lines.flatMap((line) => {
      const ofLine = offs.filter((off) => off.line === line)
      const amount = 0 - Number(sum(ofLine.map((off) => off.amount)))
      const isShown = isOfCart ? ofLine.length > 0 : amount < 0
      return isShown ? [{ id, code, lineId: line.item.id, amount, isOfCart, ordinal }] : []
    })
  })
  const shippingShares = slow.groups.flatMap(({ group }) => {
    const ofGroup = outcome.shipping.filter((off) => off.group.group === group)
    const amount = 0 - Number(sum(ofGroup.map((off) => off.amount)))
    return amount ? [{ id, code, groupId: group.id, amount }] : []
  })
  const total = (all: readonly { readonly amount: number }[]) => all.reduce((a, { amount }) => a + amount, 0)
  const applications = outcome.parts.reduce((all, part) => all + part.applications, 0)
  const uses = entered ? (entered.consumes === 'checkout' ? 1 : applications) : 0
  return {
    shares,
    shippingShares,
    verdict: { id, verdict: 'applied', amount: total(shares), shipping: total(shippingShares), uses },
    uses: entered ? [{ code, promotionId: id, uses }] : [],
    giftsToAdd,
  }
}

/** Chapter 9, the first list. */
function inOrder(promotions: readonly AnyDocument[]): AnyDocument[] {
  const oldest = promotions.toSorted(
    (a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.document.id < b.document.id ? -1 : 1),
  )
  const newest = promotions.toSorted(
    (a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.document.id < b.document.id ? -1 : 1),
  )
  const ofItems = oldest.filter((one) => one.kind === 'standard' && !isOfCart(one.document))
  const ofCarts = oldest.filter((one) => one.kind === 'standard' && isOfCart(one.document))
  const rules = newest.filter(({ kind }) => kind === 'rule')
  const priorityOf = ({ document }: AnyDocument) =>
    ('priority' in document ? document.priority : undefined) ?? -1
  return [...ofItems, ...ofCarts, ...rules.toSorted((a, b) => priorityOf(b) - priorityOf(a))]
}

/** "Two rule promotions stack if …" */
function stack(one: AnyDocument, other: AnyDocument): boolean {
  if (one.kind === 'standard' || other.kind === 'standard') return true
  const [a, b] = [one.document, other.document].map(({ stackable = true, override_stacking = false }) => ({
    stackable,
    override_stacking,
  })) as [Flags, Flags]
  const joins = (joining: Flags, alone: Flags) =>
    joining.override_stacking && !alone.stackable && !alone.override_stacking
  return (a.stackable && b.stackable) || joins(a, b) || joins(b, a)
}

interface Flags {
  readonly stackable: boolean
  readonly override_stacking: boolean
}

function gate(
  promotion: AnyDocument,
  slow: SlowCart,
  codes: readonly EnteredCode[],
): { refusal?: Refusal; code?: EnteredCode } {
  const { kind, document } = promotion
  const { cart } = slow
  const no = (verdict: string, values?: object) => ({ refusal: refused(verdict, values) })
  const at = cart.at.toISOString()
  const instant = (time: string) => ({ needs: new Date(time).toISOString(), has: at })
  if (cart.usesCustomDiscounts) return no('custom_discounts_used')
  if (cart.calculationMethod === 'simple' && !worksWithSimple(promotion)) return no('simple_calculation')
  if (kind === 'rule' && !cart.usesRulePromotions) return no('rule_promotions_not_used')
  if (!document.enabled) return no('disabled')
  if (cart.at < new Date(document.start)) return no('not_started', instant(document.start))
  if (cart.at >= new Date(document.end)) return no('ended', instant(document.end))
  let code: EnteredCode | undefined
  if (!document.automatic) {
    if (!codes[0]) return no('no_code_entered')
    code = codes.find((one) => !refuse(one, cart))
    if (!code) return { refusal: refuse(codes[0], cart) as Refusal }
  }
  const currencies =
    kind === 'rule'
      ? document.rule_set.currencies
      : 'percent' in document.schema
        ? undefined
        : (document.schema as { currencies?: readonly { currency: string }[] }).currencies?.map(
            (one) => one.currency,
          )
  if (currencies?.length && !currencies.includes(cart.currency)) {
    return no('currency', { needs: [...new Set(currencies)].sort(), has: cart.currency })
  }
  const minimum = kind === 'standard' ? (amountIn(document.min_cart_value, cart.currency) ?? 0) : 0
  const value = fullValueOf(slow)
  if (value < minimum) return no('below_minimum', { needs: minimum, has: value })
  return code ? { code } : {}
}

/** "The simple method knows only promotions of the cart that exclude nothing." */
const worksWithSimple = ({ kind, document }: AnyDocument) =>
  kind === 'standard' && isOfCart(document) && !('exclude' in document.schema && document.schema.exclude)

const amountIn = (amounts: StandardDocument['min_cart_value'], inCurrency: string): number | undefined =>
  [amounts ?? []].flat().find(({ currency }) => currency === inCurrency)?.amount

/** "`min_cart_value` is the value of all lines before discounts", without added units. */
const fullValueOf = ({ lines }: SlowCart) => Number(sum(lines.map(({ value }) => value)))

function refuse(code: EnteredCode, cart: DiscountCart): Refusal | undefined {
  const verdict = whyNot(code, cart)
  const has = verdict === 'limit_per_shopper' ? code.perShopper?.usesLeft : code.usesLeft
  if (verdict === 'limit_per_shopper' || verdict === 'code_spent') return refused(verdict, { needs: 1, has })
  return verdict === undefined ? undefined : refused(verdict)
}

function whyNot(code: EnteredCode, { shopper }: DiscountCart): string | undefined {
  const { customerId, accountId, email, isNew } = shopper
  const isGuest = !customerId && !accountId
  const isUser = (user: string) => user === customerId || user.toLowerCase() === email?.toLowerCase()
  if (code.users && !code.users.some(isUser)) return 'code_of_another_shopper'
  if (code.isForNewShopper && isNew === undefined) return 'needs_contact_email'
  if (code.isForNewShopper && !isNew) return 'needs_new_shopper'
  if (code.perShopper && isGuest && !code.perShopper.includesGuests) return 'guests_excluded'
  if (code.perShopper && isGuest && !email) return 'needs_contact_email'
  if (code.perShopper && code.perShopper.usesLeft <= 0) return 'limit_per_shopper'
  return (code.usesLeft ?? 1) <= 0 ? 'code_spent' : undefined
}

const usesOf = (code: EnteredCode | undefined) =>
  (code?.consumes === 'application' ? code.usesLeft : undefined) ?? endless

function applyStandardTo(document: StandardDocument, slow: SlowCart, code: EnteredCode | undefined): Outcome {
  const { automatic: isAutomatic = false, promotion_type } = document
  const isRepeated = code?.isRepeated ?? false
  const attempt = (uses: number): StandardOutcome => {
    const ceiling = amountIn(document.max_discount_value, slow.cart.currency)
    const most = ceiling === undefined ? undefined : BigInt(ceiling)
    const found = applyStandard(document, slow, { uses, isAutomatic, isRepeated }, most)
    if (!isTaking(found)) return most === 0n && found.verdict === 'code_spent' ? refused('no_saving') : found
    const taken = cutTaking(slow, found, most)
    return isTaking(taken) ? taken : { ...taken, ...(found.missing && { missing: found.missing }) }
  }
  const found = attempt(usesOf(code))
  if (isTaking(found)) {
    book(found)
    for (const unit of found.units ?? []) unit.promotion = document.id
    return { ...found, parts: [found], shipping: [] }
  }
  // "Of gifts, too few for one set": further sets do not count.
  return promotion_type === 'bundle_gift'
    ? found
    : explain(found, usesOf(code), attempt, usesOfNextStandard(document, usesOf(code)))
}

function book({ offs }: Taking) {
  for (const { line, amount } of offs) line.left -= amount
}

function applyRuleTo(
  document: RuleDocument,
  slow: SlowCart,
  code: EnteredCode | undefined,
  rivals: readonly AnyDocument[],
): Outcome {
  const scope = scopeOf(document, slow)
  const found = findAll(document.rule_set.rules, scope, 'rules')
  if (!found.isMet) return refused('condition_unmet', found.unmet)
  if (rivals.length) return refused('not_stackable', { behind: rivals.map((one) => one.document.id) })
  const parts: Taking[] = []
  const shipping: ShippingOff[] = []
  const refusals: Refusal[] = []
  const missing: MissingGifts[] = []
  let uses = usesOf(code)
  for (const [i, action] of document.rule_set.actions.entries()) {
    const attempt = (most: number) => act(action, document, found, scope, most, `actions.${i}`)
    const taken = attempt(uses)
    missing.push(...(taken.missing ?? []))
    if (!isTaking(taken)) {
      const explained: ActionOutcome = explain(taken, uses, attempt, usesOfNext(action))
      const { missing: _, ...reason } = explained
      refusals.push(reason as Refusal)
      continue
    }
    uses -= taken.applications
    parts.push(taken)
    shipping.push(...(taken.shipping ?? []))
    book(taken)
    for (const { group, amount } of taken.shipping ?? []) group.left -= amount
  }
  if (parts.length) return { parts, shipping, missing }
  // "The first action says why, unless a later one only lacks uses of the code."
  const reason = refusals.find(({ verdict }) => verdict === 'code_spent') ?? refusals[0]
  return { ...(reason as Refusal), missing }
}
