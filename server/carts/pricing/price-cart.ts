import { idFrom } from '../../kernel/ids.ts'
import type { Work } from '../../kernel/work/context.ts'
import { runInSteps } from '../../kernel/work/in-turns.ts'
import { type Evaluation, evaluate } from '../../promotions/index.ts'
import type { CartValues } from '../contents/cart-fields.ts'
import type { CartLine, Contents } from '../contents/contents.ts'
import type { PricedCart, PricedContents } from '../contents/priced-cart.ts'
import { totalCart } from '../totals/total-cart.ts'
import { type CartShop, isProduct, openShop, type ShopRequest } from './cart-shop.ts'
import { enteredIn } from './codes.ts'
import { currentLine } from './current-line.ts'
import { discountCartOf } from './discount-cart-of.ts'
import { giveGifts, tellGifts, withoutGifts } from './gifts.ts'
import { messagesOf } from './messages.ts'
import { discountsOf, totalsCartOf } from './totals-cart-of.ts'

/** What a cart costs, and what became of each promotion. */
export interface PricedOutcome extends PricedContents {
  readonly shop: CartShop
  readonly evaluation: Evaluation
}

/**
 * Prices a cart without the gifts that no promotion gives any more. The next change adds new ones, and messages say
 * which of them it cannot add. `buyer` uses the codes at checkout. While the prices of `before` hold, no product is
 * quoted.
 */
export async function priceCart(
  work: Work,
  cart: CartValues,
  { buyer, before }: Pick<ShopRequest, 'buyer' | 'before'> = {},
): Promise<PricedOutcome> {
  const shop = await openShop(work, cart, { buyer, before })
  const outcome = await priceGiven(cart, cart.contents, shop)
  const { contents, evaluation } = outcome
  if (!evaluation.giftsToAdd.length) return outcome
  const { refused } = await giveGifts(work, cart, contents, evaluation, shop)
  return tellGifts(outcome, refused)
}

/** Prices contents without the gifts that no promotion gives. */
export async function priceGiven(
  cart: CartValues,
  contents: Contents,
  shop: CartShop,
): Promise<PricedOutcome> {
  const outcome = await priceContents(cart, contents, shop)
  const given = withoutGifts(outcome.contents, outcome.evaluation)
  return given === outcome.contents ? outcome : priceGiven(cart, given, shop)
}

/**
 * Prices new contents of a cart. This is the only code that works out what a cart costs. Other requests run between the
 * promotions: a store may have a thousand of them.
 */
export async function priceContents(
  cart: CartValues,
  contents: Contents,
  shop: CartShop,
): Promise<PricedOutcome> {
  await shop.quoteLines(contents.lines)
  const { code } = shop.currency
  const lines = contents.lines.map(
    (line): CartLine => (isProduct(line) ? currentLine(line, shop.quoteOf(line), code) : line),
  )
  const current = { ...contents, lines, currency: hasAmounts(contents) ? code : undefined }
  const evaluation = await runInSteps(
    evaluate(
      discountCartOf(cart, current, shop),
      shop.promotions.map(({ promotion }) => promotion),
      enteredIn(current, shop),
    ),
  )
  const {
    lines: priced,
    cartPromotions,
    prices,
    shippingGroups,
  } = totalCart(totalsCartOf(current, shop.method, discountsOf(cart, current, evaluation)))
  return {
    evaluation,
    shop,
    contents: current,
    priced: {
      currency: shop.currency,
      state: shop.state,
      until: untilOf(shop, current.lines, evaluation),
      prices,
      lines: priced.map(({ value, discounts, taxes }) => ({ value, discounts, taxes })),
      promotionItems: cartPromotions.map((one) => ({ ...one, id: promotionItemId(cart, one.cause.id) })),
      shippingGroups,
      messages: messagesOf(evaluation, current, shop),
      suggestions: evaluation.suggestions,
      promotions: takersIn(evaluation, shop),
    },
  }
}

/** Whether there is an amount, which is in the currency of the cart. */
const hasAmounts = ({ lines, shippingGroups, customDiscounts }: Contents): boolean =>
  lines.length + shippingGroups.length + customDiscounts.length > 0

/** The promotions that take something off. */
function takersIn({ verdicts }: Evaluation, { promotions }: CartShop): PricedCart['promotions'] {
  const takers = new Set(verdicts.flatMap(({ verdict, id }) => (verdict === 'applied' ? [id] : [])))
  return promotions.flatMap(({ promotion, shown }) => (takers.has(promotion.id) ? [shown] : []))
}

/** The id of a promotion's item: the same for every reader, also where no one has written the cart since it applies. */
export const promotionItemId = ({ id }: CartValues, promotionId: string): string =>
  idFrom(`${id} ${promotionId}`)

/** The next instant at which a price may change. */
function untilOf(shop: CartShop, lines: readonly CartLine[], { holdsUntil }: Evaluation): string | undefined {
  const instants = [
    shop.holdsUntil,
    holdsUntil,
    ...lines.map((line) => (isProduct(line) ? shop.quoteOf(line)?.holdsUntil : undefined)),
  ]
  const next = Math.min(...instants.map((at) => at?.getTime() ?? Number.POSITIVE_INFINITY))
  return Number.isFinite(next) ? new Date(next).toISOString() : undefined
}
