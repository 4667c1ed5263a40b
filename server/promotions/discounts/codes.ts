import type { DiscountShopper } from './discount-cart.ts'
import type { PromotionRefusal } from './verdicts.ts'

/** A code that a shopper entered, with what the caller looked up. A code of several promotions is entered for each. */
export interface EnteredCode {
  /** As the shopper wrote it, or as it is stored: discounts show it. */
  readonly code: string
  readonly promotionId: string
  /** What uses up the code: a checkout, or each discounted unit, bundle or cart. */
  readonly consumes: 'checkout' | 'application'
  /** Undefined where the code has no limit. */
  readonly usesLeft?: number | undefined
  /** The customers' ids, email addresses or other names of those who may use it. Undefined: everyone. */
  readonly users?: readonly string[] | undefined
  readonly perShopper?: { readonly usesLeft: number; readonly includesGuests: boolean } | undefined
  readonly isForNewShopper?: boolean | undefined
  /** Whether it was entered again after its promotion had added gifts: these are free from then on. */
  readonly isRepeated?: boolean | undefined
}

/** What stands for a code where a promotion is automatic. */
export const automaticCode = (promotionId: string): string => `auto_${promotionId}`

export const isAutomaticCode = (code: string): boolean => code.startsWith('auto_')

/** Says why a shopper cannot use a code. Undefined where they can. */
export function refuseCode(entered: EnteredCode, shopper: DiscountShopper): PromotionRefusal | undefined {
  const { code, users, perShopper, usesLeft, isForNewShopper } = entered
  const { customerId, accountId, email, isNew } = shopper
  const isGuest = !customerId && !accountId
  if (users && !users.some((user) => isNamed(shopper, user)))
    return { verdict: 'code_of_another_shopper', code }
  if (isForNewShopper && isNew === undefined) return { verdict: 'needs_contact_email', code }
  if (isForNewShopper && !isNew) return { verdict: 'needs_new_shopper', code }
  if (perShopper && isGuest && !perShopper.includesGuests) return { verdict: 'guests_excluded', code }
  if (perShopper && isGuest && !email) return { verdict: 'needs_contact_email', code }
  if (perShopper && perShopper.usesLeft < 1) {
    return { verdict: 'limit_per_shopper', code, needs: 1, has: perShopper.usesLeft }
  }
  if (usesLeft !== undefined && usesLeft < 1) return { verdict: 'code_spent', code, needs: 1, has: usesLeft }
  return undefined
}

const isNamed = ({ customerId, email }: DiscountShopper, user: string) =>
  customerId === user || email?.toLowerCase() === user.toLowerCase()

/** How many units, bundles or carts the code still pays for. */
export function usesLeftOf(entered: EnteredCode | undefined): number {
  if (entered?.consumes !== 'application') return Number.POSITIVE_INFINITY
  return entered.usesLeft ?? Number.POSITIVE_INFINITY
}
