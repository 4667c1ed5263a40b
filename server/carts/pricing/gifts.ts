import { Problem } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import type { Work } from '../../kernel/work/context.ts'
import { sum } from '../../prices/index.ts'
import type { Evaluation } from '../../promotions/index.ts'
import type { CartValues } from '../contents/cart-fields.ts'
import { type CartLine, type Contents, componentIdsOf, type ProductLine } from '../contents/contents.ts'
import { mergeLine } from '../contents/merge-lines.ts'
import { mustBeFew } from '../contents/must-be-few.ts'
import type { Message } from '../contents/priced-cart.ts'
import { type CartShop, isProduct, type ProductRequest } from './cart-shop.ts'
import { type Available, mustBeInStock, readAvailable } from './check-stock.ts'
import { currentLine, newProductLine, unitPriceOf } from './current-line.ts'
import type { PricedOutcome } from './price-cart.ts'
import { stockPortionsOf } from './stock-portions.ts'

/** The contents without the units that promotions added and that none gives any more. */
export function withoutGifts(contents: Contents, { giftsToRemove }: Evaluation): Contents {
  if (!giftsToRemove.length) return contents
  const tooMany = new Map(giftsToRemove.map(({ lineId, quantity }) => [lineId, quantity]))
  const lines = contents.lines.flatMap((line) => {
    const units = tooMany.get(line.id)
    if (units === undefined || line.kind !== 'cart_item') return [line]
    const [quantity, autoAdded] = [line.quantity - units, (line.autoAdded ?? 0) - units]
    return quantity > 0 ? [{ ...line, quantity, autoAdded: autoAdded || undefined }] : []
  })
  return { ...contents, lines }
}

/** The contents of a cart with the gifts that could be added. */
interface ContentsWithGifts {
  readonly contents: Contents
  /** With what the gifts cost. */
  readonly shop: CartShop
  readonly refused: readonly RefusedGifts[]
}

/** The gifts of a promotion that cannot be added, and why. */
interface RefusedGifts extends GiftsToAdd {
  readonly problem: Problem
}

type GiftsToAdd = Evaluation['giftsToAdd'][number]

/** Adds what promotions give. If one gift of a promotion cannot be added, none of that promotion is. */
export async function giveGifts(
  work: Work,
  cart: CartValues,
  contents: Contents,
  { giftsToAdd }: Evaluation,
  before: CartShop,
): Promise<ContentsWithGifts> {
  const requests = giftsToAdd.flatMap(({ gifts }) => gifts.map(requestFor))
  const shop = await before.withProducts(requests)
  const available = await readAvailable(work, idsIn(contents, shop))
  // Also in a cart that leaves the check to its checkout: the shopper has not asked for the gifts.
  const isPreview = cart.snapshot_date !== undefined
  const refused: RefusedGifts[] = []
  let place = 0
  let { lines } = contents
  for (const one of giftsToAdd) {
    const { gifts, code } = one
    const from = place
    place += gifts.length
    try {
      const added = gifts.map((gift, i) => giftLine(gift, from + i, { shop, available, code }))
      const merged = added.reduce(mergeLine, lines)
      if (!isPreview) mustHaveStock(added, merged, available)
      mustBeFew({ ...contents, lines: merged }, { ...contents, lines }, extrasOf(code))
      lines = merged
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem
      refused.push({ ...one, problem })
    }
  }
  return { contents: { ...contents, lines }, shop, refused }
}

/** What a cart costs, with messages about gifts that it has earned and that cannot be added. */
export function tellGifts(outcome: PricedOutcome, refused: readonly RefusedGifts[]): PricedOutcome {
  const { evaluation, priced } = outcome
  const wanted = new Set(evaluation.giftsToAdd.map(({ promotionId }) => promotionId))
  const told = refused.filter(({ promotionId }) => wanted.has(promotionId))
  if (!told.length) return outcome
  const isTold = ({ source, reason }: Message) =>
    reason?.verdict === 'gift_missing' && told.some(({ promotionId }) => promotionId === source.id)
  const messages = [...priced.messages.filter((message) => !isTold(message)), ...told.map(toMessage)]
  return { ...outcome, priced: { ...priced, messages } }
}

function toMessage({ promotionId: id, code, gifts, problem }: RefusedGifts): Message {
  const { message: detail } = problem
  return {
    source: { type: 'promotion', id, code },
    title: 'Gift Not Added',
    description: detail,
    reason: { verdict: 'gift_missing', gifts, detail },
  }
}

type Gift = GiftsToAdd['gifts'][number]

const requestFor = ({ product, quantity }: Gift): ProductRequest =>
  isId(product) ? { id: product.toLowerCase(), quantity } : { sku: product, quantity }

interface GiftContext {
  readonly shop: CartShop
  readonly available: Available
  readonly code: string
}

function giftLine({ product, quantity }: Gift, place: number, on: GiftContext): ProductLine {
  const { shop, available, code } = on
  const quote = shop.requested[place]
  const unit = quote && unitPriceOf(quote, quantity, shop.currency.code)
  if (quote?.refusal) throw refuse(`The gift ${product} cannot be added. ${quote.refusal.detail}`, code)
  if (!quote?.item || !unit) throw refuse(`The shopper’s catalog does not sell the gift ${product}.`, code)
  const isTracked = available(quote.item.id, undefined) !== undefined
  const line = newProductLine({ item: quote.item, unit, quantity, now: shop.now, isTracked })
  return { ...currentLine(line, quote, shop.currency.code), autoAdded: quantity }
}

/** The products whose stock the lines of a cart with its gifts can take. */
const idsIn = ({ lines }: Contents, { requested }: CartShop): readonly string[] => [
  ...lines.filter(isProduct).flatMap((line) => [line.productId, ...componentIdsOf(line)]),
  ...requested.flatMap(({ item, price }) =>
    item ? [item.id, ...(price?.parts ?? []).map(({ id }) => id)] : [],
  ),
]

/**
 * Refuses gifts that are not in stock beside all that the cart has of the same products. A checkout would refuse the
 * cart because of what the shopper has not added.
 */
function mustHaveStock(
  gifts: readonly ProductLine[],
  lines: readonly CartLine[],
  available: Available,
): void {
  const isTracked = (id: string) => available(id, undefined) !== undefined
  const taken = Map.groupBy(stockPortionsOf(lines, isTracked), ({ productId }) => productId)
  for (const gift of gifts) {
    for (const { productId } of stockPortionsOf([gift], isTracked)) {
      const units = sum((taken.get(productId) ?? []).map(({ quantity }) => quantity))
      mustBeInStock({ ...gift, productId }, units, available, 'data')
    }
  }
}

const refuse = (detail: string, code: string) => new Problem('unprocessable', detail, extrasOf(code))

const extrasOf = (code: string) => ({ title: 'Gift not added', source: 'data', meta: { code } })
