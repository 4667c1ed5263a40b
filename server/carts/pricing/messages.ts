import { type Evaluation, reasonOf } from '../../promotions/index.ts'
import type { Contents } from '../contents/contents.ts'
import type { Message, PricedCart, PricedContents } from '../contents/priced-cart.ts'
import type { CartShop } from './cart-shop.ts'
import { codesNamed } from './codes.ts'

/**
 * Why promotions take nothing: first those whose codes are in the cart, then automatic ones without its currency. A
 * code in the cart that no promotion looks at has a message, too, as it may count again later.
 */
export function messagesOf(
  { messages, verdicts }: Evaluation,
  { codes }: Contents,
  shop: CartShop,
): readonly Message[] {
  const entered = new Set(codes.map(({ code }) => code))
  const used = new Set(verdicts.map(({ code }) => code))
  const isOfCode = ({ source }: Message) => source.code !== undefined && entered.has(source.code)
  return [
    ...messages.filter(isOfCode),
    ...codes.filter(({ code }) => !used.has(code)).map(({ code }) => unusedCode(code, verdicts, shop)),
    ...messages.filter((one) => !isOfCode(one) && one.reason.verdict === 'currency'),
  ]
}

function unusedCode(code: string, verdicts: Evaluation['verdicts'], shop: CartShop): Message {
  const ids = codesNamed(code, shop).map(({ promotionId }) => promotionId)
  const verdict = verdicts.find(({ id }) => ids.includes(id))
  const reason = verdict ? (reasonOf(verdict) ?? notNeeded) : unknownCode
  return {
    source: { type: 'promotion_codes', id: verdict?.id ?? '', code },
    title: 'Promotion Not Applied',
    description: reason.detail,
    reason,
  }
}

const notNeeded = { verdict: 'code_not_needed', detail: 'The promotion applies without this code.' } as const

/** A code that no promotion has. */
export const unknownCode = {
  verdict: 'unknown_code',
  detail: 'There is no promotion with this code.',
} as const

/** What a change did to the discounts of a cart. */
export const messagesOfChange = (
  before: PricedContents | undefined,
  after: PricedContents,
): readonly Message[] => [
  ...promotionMessages(before?.priced.promotionItems ?? [], after.priced.promotionItems),
  ...lineMessages(before, after),
]

type PromotionItems = PricedCart['promotionItems']

function promotionMessages(before: PromotionItems, after: PromotionItems): readonly Message[] {
  const without = (items: PromotionItems, others: PromotionItems) =>
    items.filter(({ id }) => !others.some((other) => other.id === id))
  const about = (title: string, description: string) => (items: PromotionItems) =>
    items.map(({ id }) => ({ source: { type: 'promotion_item', id }, title, description }))
  return [
    ...about('Promotion Added', 'Promotion has been added to cart.')(without(after, before)),
    ...about('Deleted Promotion', 'Promotion has been removed from cart.')(without(before, after)),
  ]
}

function lineMessages(before: PricedContents | undefined, after: PricedContents): readonly Message[] {
  const discountsBefore = new Map(before?.contents.lines.map(({ id }, i) => [id, textOf(before, i)]))
  return after.contents.lines.flatMap(({ id, kind }, i) => {
    const [was, is] = [discountsBefore.get(id) ?? '', textOf(after, i)]
    if (was === is) return []
    const verb = was === '' ? 'added' : is === '' ? 'deleted' : 'updated'
    const title = `Discount ${verb[0]?.toUpperCase()}${verb.slice(1)}`
    return [{ source: { type: kind, id }, title, description: `Item discount has been ${verb}.` }]
  })
}

/** The discounts of a line as a text to compare; empty if it has none. */
const textOf = ({ priced }: PricedContents, i: number): string =>
  (priced.lines[i]?.discounts ?? []).map(({ cause, amount }) => `${cause.id} ${amount}`).join()
