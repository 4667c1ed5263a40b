import { Problem } from '../kernel/errors.ts'
import { findOrCreate } from '../kernel/request/first-write.ts'
import type { Ctx } from '../kernel/work/context.ts'
import { change } from '../kernel/write/by-rules.ts'
import { type CartShop, type CartValues, openShop, type ProductRequest } from './cart-shop.ts'
import { type CartRow, type CartShopper, carts } from './carts.ts'
import { type Contents, nothing } from './contents.ts'
import { mayWrite } from './owners.ts'
import { priceContents } from './price-cart.ts'

/** A change of what is in a cart. */
export interface CartChange {
  /** The products that are about to be added: `shop.requested` has what they cost, in this order. */
  readonly products?: readonly ProductRequest[]
  /** The currency that the request asks for. */
  readonly currency?: string | undefined
  /** What the request says about the shopper. */
  readonly shopper?: CartShopper | undefined
  /** The new contents. Throws a Problem to refuse the change; nothing is stored then. */
  readonly apply: (contents: Contents, shop: CartShop, cart: CartValues) => Promise<Contents> | Contents
}

/**
 * Changes what is in a cart, prices all of it and stores both. Changes of one cart wait for each other. The first one
 * creates the cart. The caller runs it in a transaction.
 */
export async function changeCart(ctx: Ctx, name: string, edit: CartChange): Promise<CartRow> {
  const { products, currency, shopper, apply } = edit
  const row = await findOrCreate(ctx, carts, name)
  mayWrite(ctx, row)
  const cart = { ...row.doc, ...row.hidden, ...(shopper && { shopper }) } as CartValues
  const shop = await openShop(ctx, cart, products, currency)
  const contents = await apply(cart.contents ?? nothing, shop, cart)
  const next = priceContents(cart, contents, shop)
  mustFit(next.contents)
  return change(ctx, carts, [], row.id, { ...next, ...(shopper && { shopper }) })
}

/** In characters of JSON: each change writes all of it. */
const contentsMax = 8_000_000

function mustFit(contents: Contents): void {
  if (JSON.stringify(contents).length <= contentsMax) return
  const detail = `All items of a cart together, with their texts and inputs, must be at most ${contentsMax} characters of JSON.`
  throw new Problem('unprocessable', detail, { source: 'data' })
}
