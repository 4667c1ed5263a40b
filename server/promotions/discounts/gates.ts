import { type EnteredCode, refuseCode } from './codes.ts'
import type { DiscountCart } from './discount-cart.ts'
import type { Promotion } from './promotion.ts'
import type { PromotionRefusal } from './verdicts.ts'
import type { WorkingCart } from './working-cart.ts'

/** What a promotion needs before its condition counts: its period, a code, the currency and a minimum. */

/** Either why the promotion does not apply, or the code it applies by: none if it is automatic. */
type GatePassage =
  | { readonly refusal: PromotionRefusal; readonly code: EnteredCode | undefined }
  | { readonly refusal: undefined; readonly code: EnteredCode | undefined }

export function pass(promotion: Promotion, cart: WorkingCart, codes: readonly EnteredCode[]): GatePassage {
  const { shopper } = cart.cart
  const usable = codes.find((code) => !refuseCode(code, shopper))
  const code = promotion.isAutomatic ? undefined : (usable ?? codes[0])
  const refusal =
    refuseCart(promotion, cart.cart) ??
    refusePeriod(promotion, cart.cart.at) ??
    (promotion.isAutomatic ? undefined : code ? refuseCode(code, shopper) : noCode) ??
    refuseCurrency(promotion, cart.cart) ??
    refuseMinimum(promotion, cart)
  return { refusal, code }
}

const noCode: PromotionRefusal = { verdict: 'no_code_entered' }

function refuseCart(
  { lane, worksWithSimple }: Promotion,
  { calculationMethod, usesRulePromotions, usesCustomDiscounts }: DiscountCart,
): PromotionRefusal | undefined {
  if (usesCustomDiscounts) return { verdict: 'custom_discounts_used' }
  if (calculationMethod === 'simple' && !worksWithSimple) return { verdict: 'simple_calculation' }
  if (lane === 'rule' && !usesRulePromotions) return { verdict: 'rule_promotions_not_used' }
  return undefined
}

function refusePeriod(
  { isEnabled, startsAtMs, endsAtMs }: Promotion,
  at: Date,
): PromotionRefusal | undefined {
  const [now, has] = [at.getTime(), at.toISOString()]
  if (!isEnabled) return { verdict: 'disabled' }
  if (now < startsAtMs) return { verdict: 'not_started', needs: new Date(startsAtMs).toISOString(), has }
  if (now >= endsAtMs) return { verdict: 'ended', needs: new Date(endsAtMs).toISOString(), has }
  return undefined
}

function refuseCurrency({ currencies }: Promotion, { currency }: DiscountCart): PromotionRefusal | undefined {
  if (!currencies || currencies.has(currency)) return undefined
  return { verdict: 'currency', needs: [...currencies].sort(), has: currency }
}

function refuseMinimum({ minimums }: Promotion, { cart, value }: WorkingCart): PromotionRefusal | undefined {
  const minimum = minimums.get(cart.currency) ?? 0
  return value < minimum ? { verdict: 'below_minimum', needs: minimum, has: value } : undefined
}
