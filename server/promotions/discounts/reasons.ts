import type { PromotionRefusal, PromotionVerdict, UnmetNode } from './verdicts.ts'

/** Why a promotion takes nothing: for programs, and in `detail` for people. */
export type PromotionReason = PromotionRefusal & { readonly detail: string }

/** Undefined for a promotion that takes something. */
export function reasonOf(verdict: PromotionVerdict): PromotionReason | undefined {
  if (verdict.verdict === 'applied') return undefined
  const { source: _source, id: _id, name: _name, ...refusal } = verdict
  return { ...(refusal as PromotionRefusal), detail: detailOf(verdict) }
}

function detailOf(refusal: PromotionRefusal): string {
  switch (refusal.verdict) {
    case 'custom_discounts_used':
      return 'The cart takes custom discounts in place of promotions.'
    case 'rule_promotions_not_used':
      return 'The cart does not use rule promotions.'
    case 'simple_calculation':
      return 'The calculation method of the store is simple, and this kind of promotion needs the method line.'
    case 'disabled':
      return 'The promotion is disabled.'
    case 'not_started':
      return `The promotion starts at ${refusal.needs}.`
    case 'ended':
      return `The promotion ended at ${refusal.needs}.`
    case 'no_code_entered':
      return 'The promotion needs a code, and none was entered.'
    case 'code_of_another_shopper':
      return 'The code is for other shoppers.'
    case 'needs_new_shopper':
      return 'The code is for shoppers who have not bought anything yet.'
    case 'needs_contact_email':
      return 'The code needs the email address of the shopper: set the contact of the cart.'
    case 'guests_excluded':
      return 'The code is for shoppers who have signed in.'
    case 'limit_per_shopper':
      return 'The shopper has used the code as often as they may.'
    case 'code_spent':
      return refusal.has > 0
        ? `The promotion takes ${refusal.needs} uses of the code, which has ${refusal.has} left.`
        : 'The code has no uses left.'
    case 'currency':
      return `The promotion is for carts in ${refusal.needs.join(', ')}, and this cart is in ${refusal.has}.`
    case 'below_minimum':
      return `The items must cost at least ${refusal.needs}; they cost ${refusal.has}.`
    case 'no_line_matches':
      return 'The promotion is for none of the items.'
    case 'condition_unmet':
      return unmetDetail(refusal)
    case 'incomplete':
      return `A set needs ${refusal.needs} units, and there are ${refusal.has}.`
    case 'not_stackable':
      return 'A promotion that comes first does not stack with this one.'
    case 'outdone':
      return 'Promotions that come first discount all units that this one is for.'
    case 'gift_missing':
      return `The cart does not have the gift: ${refusal.gifts.map(({ product, quantity }) => `${quantity} × ${product}`).join(', ')}.`
    case 'enter_code_again':
      return 'The gifts are in the cart. They are free once the code is entered again.'
    case 'nothing_left':
      return 'Discounts that come first leave nothing to take off.'
    case 'no_saving':
      return 'The discount is 0.'
  }
}

/** Longer values are only in the members of the reason. */
const valueMax = 100

function unmetDetail({ node, strategy, operator, needs, has }: UnmetNode): string {
  const texts = [needs, has].map((value) => JSON.stringify(value))
  const compared = texts.every((text) => text !== undefined && text.length <= valueMax)
    ? ` (needed: ${[operator, texts[0]].filter(Boolean).join(' ')}; the cart has ${texts[1]})`
    : ''
  return `The cart does not meet the condition ${node}, ${strategy}${compared}.`
}

/** What to tell shoppers about a promotion that takes nothing. */
export interface PromotionMessage {
  readonly source: { readonly type: string; readonly id: string; readonly code: string }
  readonly title: string
  readonly description: string
  readonly reason: PromotionReason
}

/** Undefined for a promotion that takes something, or whose code was not entered. */
export function toMessage(verdict: PromotionVerdict): PromotionMessage | undefined {
  const reason = reasonOf(verdict)
  if (!reason || !verdict.code) return undefined
  const { id, code } = verdict
  const { type, title, description } = textsOf(reason)
  return { source: { type, id, code }, title, description, reason }
}

const fullyConsumed = {
  type: 'promotion_codes',
  title: 'Fully Consumed',
  description: "You've already fully consumed this promotion code",
}

function textsOf(reason: PromotionReason) {
  switch (reason.verdict) {
    case 'not_stackable':
      return {
        type: 'promotion',
        title: "Couldn't Stack Promotion",
        description: 'Cannot apply promotion because non-stackable promotion applied first.',
      }
    case 'currency':
      return {
        type: 'promotion',
        title: 'currency mismatch',
        description: `discount unavailable in currency ${reason.has}`,
      }
    case 'code_spent':
      return reason.has > 0
        ? { type: 'promotion_codes', title: 'Promotion Not Applied', description: reason.detail }
        : fullyConsumed
    case 'limit_per_shopper':
      return fullyConsumed
    default:
      return { type: 'promotion', title: 'Promotion Not Applied', description: reason.detail }
  }
}
