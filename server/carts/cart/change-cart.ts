import { isDeepStrictEqual } from 'node:util'
import type { Problem } from '../../kernel/errors.ts'
import { findOrCreate } from '../../kernel/request/first-write.ts'
import type { Ctx, Work } from '../../kernel/work/context.ts'
import { changeLocked } from '../../kernel/write/by-rules.ts'
import { AmountTooLarge } from '../../prices/index.ts'
import type { CartRow, CartShopper, CartValues } from '../contents/cart-fields.ts'
import { type Contents, emptyContents } from '../contents/contents.ts'
import { mustBeStorable } from '../contents/must-fit.ts'
import { mustBeOwnerOf } from '../contents/owners.ts'
import { type CartShop, openShop, type ShopRequest } from '../pricing/cart-shop.ts'
import { giveGifts, tellGifts } from '../pricing/gifts.ts'
import { messagesOfChange } from '../pricing/messages.ts'
import { type PricedContents, priceGiven } from '../pricing/price-cart.ts'
import { carts } from './carts.ts'
import { parseCart } from './find-cart.ts'

/** A change of what is in a cart. `shop.requested` has what the products cost, in their order. */
export interface CartChange extends ShopRequest {
  /** What the request says about the shopper. */
  readonly shopper?: CartShopper | undefined
  /** The new contents. Throws a Problem to refuse the change; nothing is stored then. */
  readonly apply: (contents: Contents, shop: CartShop, cart: CartValues) => Promise<Contents> | Contents
  /** Takes why gifts of promotions cannot be added. */
  readonly refused?: Problem[]
  /** The member of the request that is at fault where amounts get too large. Default: all of its data. */
  readonly amountAt?: string | undefined
}

/**
 * Changes what is in a cart, prices all of it and stores both. Changes of one cart wait for each other. The first one
 * creates the cart. The caller runs it in a transaction. The messages of the result also say what changed.
 */
export async function changeCart(ctx: Ctx, name: string, edit: CartChange): Promise<CartRow> {
  const { shopper, apply } = edit
  const row = parseCart(await findOrCreate(ctx, carts, name))
  mustBeOwnerOf(ctx, row)
  const cart = { ...row.doc, ...row.hidden, ...(shopper && { shopper }) } as CartValues
  const before = isSameShopper(shopper, row.hidden.shopper) ? row.hidden.priced : undefined
  const opened = await openShop(ctx, cart, { ...edit, before })
  const { contents: next, priced } = await namingAmounts(edit.amountAt, async () => {
    const contents = await apply(cart.contents ?? emptyContents, opened, cart)
    // What is stored must have the state of the codes that are stored with it.
    const shop = hasCodes(opened, contents)
      ? opened
      : await openShop(ctx, { ...cart, contents }, { currency: edit.currency })
    return settle(ctx, cart, contents, shop, edit.refused)
  })
  mustBeStorable(next)
  const changes = { contents: next, priced, ...(shopper && { shopper }) }
  const changed = await changeLocked(ctx, carts, row, changes)
  const { contents: contentsBefore = emptyContents, priced: pricedBefore } = row.hidden
  const news = messagesOfChange(pricedBefore && { contents: contentsBefore, priced: pricedBefore }, {
    contents: next,
    priced,
  })
  const messages = [...news, ...priced.messages]
  return parseCart(changed, { ...row.hidden, ...changes, priced: { ...priced, messages } })
}

/** Whether a request says nothing else about the shopper than the last one that said something. */
const isSameShopper = (shopper: CartShopper | undefined, before: CartShopper = {}): boolean =>
  !shopper || (shopper.channel === before.channel && isDeepStrictEqual(shopper.tags ?? [], before.tags ?? []))

async function namingAmounts<T>(source = 'data', work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (problem) {
    throw problem instanceof AmountTooLarge ? new AmountTooLarge(source) : problem
  }
}

const hasCodes = ({ entered }: CartShop, { codes }: Contents): boolean =>
  entered.length === codes.length && codes.every(({ code }, i) => code === entered[i])

/**
 * Prices new contents, and adds and removes the gifts of promotions. A promotion takes the units that its gifts come
 * with once it has the gifts. So one that comes first may leave another without the units for the gifts that it was
 * just given; these are removed again.
 */
async function settle(
  work: Work,
  cart: CartValues,
  contents: Contents,
  shop: CartShop,
  refused: Problem[] = [],
): Promise<PricedContents> {
  const outcome = await priceGiven(cart, contents, shop)
  if (!outcome.evaluation.giftsToAdd.length) return outcome
  const given = await giveGifts(work, cart, outcome.contents, outcome.evaluation, shop)
  refused.push(...given.refused.map(({ problem }) => problem))
  return tellGifts(await priceGiven(cart, given.contents, given.shop), given.refused)
}
