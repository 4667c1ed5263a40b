import { Problem } from '../../kernel/errors.ts'
import { type PromotionReason, type PromotionVerdict, reasonOf } from '../../promotions/index.ts'
import type { CartValues } from '../contents/cart-fields.ts'
import type { Contents } from '../contents/contents.ts'
import { mustBeFew } from '../contents/must-be-few.ts'
import type { CartShop } from '../pricing/cart-shop.ts'
import { codesNamed, isSameCode } from '../pricing/codes.ts'
import { unknownCode } from '../pricing/messages.ts'
import { priceContents } from '../pricing/price-cart.ts'
import type { Guess } from './guess-codes.ts'
import type { NewItem } from './new-lines.ts'

interface CodeEntry {
  readonly cart: CartValues
  readonly shop: CartShop
  /** Whether the caller may know that a code is for other shoppers. */
  readonly isSeller: boolean
  readonly guess: Guess
}

/**
 * Enters a promotion code. A code that is for none of the items is refused, as is one that the shopper may not use; one
 * that takes nothing for another reason stays in the cart, and a message says why.
 */
export async function enterCode(
  contents: Contents,
  { values, source }: Extract<NewItem, { kind: 'promotion_item' }>,
  { cart, shop, isSeller, guess }: CodeEntry,
): Promise<Contents> {
  const code = values.code.trim()
  const meta = { code }
  if (cart.discount_settings?.custom_discounts_enabled) {
    throw new Problem(
      'unprocessable',
      'The cart takes custom discounts in place of promotions. Set discount_settings.custom_discounts_enabled to false.',
      { title: 'Promotion not added to cart', source, meta },
    )
  }
  if (!contents.lines.length) {
    throw new Problem(
      'unprocessable',
      'At least one product must be included in your cart to qualify for this offer',
      { source, meta },
    )
  }
  const next = withCode(contents, { code, enteredAt: shop.now })
  mustBeFew(next, contents, { source, meta })
  const promotionIds = new Set(codesNamed(code, shop).map(({ promotionId }) => promotionId))
  const outcome = await guess(async () => {
    // Pricing a cart is dear, and a code that nobody has heard of changes nothing.
    const verdicts = promotionIds.size ? (await priceContents(cart, next, shop)).evaluation.verdicts : []
    const reasons = verdicts.filter(({ id }) => promotionIds.has(id)).map(reasonOf)
    if (reasons.some((reason) => !reason || !refusals.includes(reason.verdict))) return { contents: next }
    const [reason] = reasons
    return isUnknown(reason, isSeller) ? undefined : { reason }
  })
  if (outcome?.contents) return outcome.contents
  throw new Problem('not_found', 'No promotion could be found with the given code.', {
    source,
    meta: { ...meta, reason: outcome?.reason ?? unknownCode },
  })
}

/** A code is in a cart once. Entered again, it makes gifts free that its promotion added. */
function withCode(contents: Contents, code: Contents['codes'][number]): Contents {
  const i = contents.codes.findIndex((one) => isSameCode(one.code, code.code))
  const before = contents.codes[i]
  if (!before) return { ...contents, codes: [...contents.codes, code] }
  const hasGifts = contents.lines.some((line) => line.kind === 'cart_item' && line.autoAdded)
  const codes = hasGifts ? contents.codes.with(i, { ...before, isRepeated: true }) : contents.codes
  return { ...contents, codes }
}

/** Why a code is as good as unknown. */
const refusals: readonly PromotionVerdict['verdict'][] = [
  'rule_promotions_not_used',
  'simple_calculation',
  'disabled',
  'not_started',
  'ended',
  'code_of_another_shopper',
  'needs_new_shopper',
  'needs_contact_email',
  'guests_excluded',
  'below_minimum',
  'no_line_matches',
  'condition_unmet',
  'incomplete',
]

/** Whether the caller is to learn of no such code. A shopper who guesses codes does not learn those of others. */
const isUnknown = (reason: PromotionReason | undefined, isSeller: boolean): boolean =>
  !reason || (reason.verdict === 'code_of_another_shopper' && !isSeller)
