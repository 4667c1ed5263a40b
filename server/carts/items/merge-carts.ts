import { Problem } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { findCart } from '../cart/find-cart.ts'
import { type CartLine, type Contents, linesMax, optionsMax } from '../contents/contents.ts'
import { countOptions } from '../contents/must-be-few.ts'
import { otherCurrency } from '../item-parts/check-currency.ts'
import { withoutTaxes } from '../item-parts/line-of.ts'
import type { CartShop } from '../pricing/cart-shop.ts'
import type { RefuseCustomItem } from './check-custom-items.ts'
import type { NewItem } from './new-lines.ts'

type Merge = Extract<NewItem, { readonly kind: 'cart_items' }>

/** What is in the carts that are merged into this one, by their ids. */
export type OtherCarts = ReadonlyMap<string, Pick<Contents, 'lines' | 'currency'>>

/** Reads the carts that a request merges into its own, each once. */
export async function otherCarts(ctx: Ctx, items: readonly NewItem[], own: string): Promise<OtherCarts> {
  const others = new Map<string, Pick<Contents, 'lines' | 'currency'>>()
  const added: CartLine[] = []
  const count = items.filter(({ kind }) => kind !== 'cart_items').length
  for (const item of items) {
    if (item.kind !== 'cart_items') continue
    const { cart_id: id } = item.values
    const source = `${item.source}.cart_id`
    if (id === own) {
      const detail = 'A cart cannot be merged into itself. Send the id of another cart.'
      throw new Problem('unprocessable', detail, { source })
    }
    const { lines, currency } = others.get(id) ?? (await findCart(ctx, id)).inside.contents
    added.push(...lines)
    mustBeFewItems(count + added.length, source)
    mustBeFewOptions(countOptions(added), source)
    others.set(id, { lines, currency })
  }
  return others
}

/** Refuses more items than a cart has, before each of them is priced and compared with the others. */
export function mustBeFewItems(count: number, source: string): void {
  if (count <= linesMax) return
  const detail = `A request can add at most ${linesMax} items, including those of other carts and the products of orders.`
  throw new Problem('unprocessable', detail, { title: 'Limit Reached', source })
}

/** Refuses more selected options of bundles than a cart has, before each of them is priced. */
export function mustBeFewOptions(count: number, source: string): void {
  if (count <= optionsMax) return
  const detail = `A request can add bundles with at most ${optionsMax} selected options together, including those of other carts and of orders.`
  throw new Problem('unprocessable', detail, { title: 'Limit Reached', source })
}

interface Target {
  readonly shop: CartShop
  readonly others: OtherCarts
  readonly refuseCustomItem: RefuseCustomItem
}

/** The lines of another cart as new lines of this one, and what cannot be merged. */
export function linesOfCart({ values, source }: Merge, { shop, others, refuseCustomItem }: Target) {
  const { lines: all = [], currency } = others.get(values.cart_id) ?? {}
  if (currency !== undefined && currency !== shop.currency.code) {
    throw otherCurrency(shop.currency.code, currency, `${source}.cart_id`)
  }
  const at = `${source}.cart_id`
  // Nobody knows who wrote a custom item. One of a seller is for the cart that the seller put it into.
  const refusals = all.map((line) =>
    line.kind === 'custom_item'
      ? refuseCustomItem({ sku: line.sku, id: line.id, source: at, skuSource: at })
      : undefined,
  )
  const lines = all.filter((_line, i) => !refusals[i])
  return {
    lines: lines.map((line) => copiedLine(line, shop)),
    lost: [
      ...refusals.filter((refusal) => refusal !== undefined),
      ...lines.flatMap((line) => (line.shippingGroupId ? [lostGroup(line, at)] : [])),
    ],
  }
}

const copiedLine = (line: CartLine, shop: CartShop): CartLine => ({
  ...withoutTaxes(line),
  id: newId(),
  addedAt: shop.now,
  updatedAt: shop.now,
  shippingGroupId: undefined,
  customDiscounts: [],
})

/** Shipping groups belong to their cart. */
const lostGroup = ({ id, sku, shippingGroupId }: CartLine, source: string) =>
  new Problem(
    'not_found',
    'The item was merged without its shipping group, which belongs to the other cart. Link the item to a group of this cart.',
    {
      title: 'Cart shipping group not found',
      source,
      meta: { id, ...(sku !== '' && { sku }), shipping_group_id: shippingGroupId },
    },
  )
