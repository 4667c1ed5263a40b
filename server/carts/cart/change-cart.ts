import { isDeepStrictEqual } from 'node:util'
import type { Problem } from '../../kernel/errors.ts'
import { type Before, changeThing } from '../../kernel/thing/change-thing.ts'
import type { Ctx, Work } from '../../kernel/work/context.ts'
import { AmountTooLarge } from '../../prices/index.ts'
import {
  type Cart,
  type CartFields,
  type CartShopper,
  type CartValues,
  cartWith,
} from '../contents/cart-fields.ts'
import { type Contents, emptyCart } from '../contents/contents.ts'
import { mustBeStorable } from '../contents/must-fit.ts'
import { mustBeOwner, ownerIn, ownersOf } from '../contents/owners.ts'
import type { PricedContents } from '../contents/priced-cart.ts'
import { type CartShop, openShop, type ShopRequest } from '../pricing/cart-shop.ts'
import { giveGifts, tellGifts } from '../pricing/gifts.ts'
import { messagesOfChange } from '../pricing/messages.ts'
import { priceGiven } from '../pricing/price-cart.ts'
import { carts } from './carts.ts'

/** A change of what is in a cart. `shop.requested` has what the products cost, in their order. */
export interface CartChange extends ShopRequest {
  /** What the request says about the shopper. */
  readonly shopper?: CartShopper | undefined
  /** Reads what `apply` needs besides, in the message that reads the shop. */
  readonly read?: () => Promise<void>
  /** The new contents. Throws a Problem to refuse the change; nothing is stored then. */
  readonly apply: (contents: Contents, shop: CartShop, cart: CartValues) => Promise<Contents> | Contents
  /** Takes why gifts of promotions cannot be added. */
  readonly refused?: Problem[]
  /** The member of the request that is at fault where amounts get too large. Default: all of its data. */
  readonly amountAt?: string | undefined
  /** Whether nothing that follows can refuse the request: the write of the cart then ends the transaction. */
  readonly isLast?: boolean
}

/**
 * Changes what is in a cart, prices all of it and stores both. Changes of one cart wait for each other. The first one
 * creates the cart. The caller runs it in a transaction. The messages of the result also say what changed.
 */
export async function changeCart(ctx: Ctx, name: string, edit: CartChange): Promise<Cart> {
  const { shopper } = edit
  const deed = async (row: Before<CartFields, PricedContents>) => {
    const cart = valuesBefore(ctx, row)
    mustBeOwner(ctx, ownersOf({ hidden: cart }))
    return { values: { ...(shopper && { shopper }) }, inside: await derive(ctx, cart, edit) }
  }
  const { before, after } = await changeThing(ctx, carts, name, deed, edit.isLast)
  const { inside } = after
  const messages = [...messagesOfChange(before.inside, inside), ...inside.priced.messages]
  return cartWith(after, { ...inside, priced: { ...inside.priced, messages } })
}

/** A cart that its first change creates belongs to the shopper of the request. */
const valuesBefore = (work: Work, { doc, hidden, inside }: Before<CartFields, PricedContents>) =>
  ({ ...doc, ...hidden, ...(inside ?? { ...emptyCart, ...ownerIn(work) }) }) as CartValues

/** What is in a cart after a change, with what follows from it: prices, discounts and gifts. */
async function derive(work: Work, before: CartValues, edit: CartChange): Promise<PricedContents> {
  const { shopper, currency, apply } = edit
  const cart = { ...before, ...(shopper && { shopper }) }
  const held = isSameShopper(shopper, before.shopper) ? before.priced : undefined
  const [opened] = await Promise.all([openShop(work, cart, { ...edit, before: held }), edit.read?.()])
  const { contents, priced } = await namingAmounts(edit.amountAt, async () => {
    const next = await apply(cart.contents, opened, cart)
    // What is stored must have the state of the codes that are stored with it.
    const isOpen = hasCodes(opened, next)
    const shop = isOpen ? opened : await openShop(work, { ...cart, contents: next }, { currency })
    return settle(work, cart, next, shop, edit.refused)
  })
  mustBeStorable(contents)
  return { contents, priced }
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
