import type { Portion } from '../../assortment/index.ts'
import {
  type Available,
  type Cart,
  type CartLine,
  componentIdsOf,
  isProduct,
  type PricedOutcome,
  priceCart,
  readAvailable,
  stockPortionsOf,
  valuesOf,
} from '../../carts/index.ts'
import { Problem } from '../../kernel/errors.ts'
import type { Work } from '../../kernel/work/context.ts'
import { spendCodes } from '../../promotions/index.ts'
import { type Buyer, codeShopperOf } from '../buyer/buyer.ts'

/** Each time, at least one code has been used up since. */
const attemptsMax = 5

/** What an order costs, and the stock that it takes. */
export interface PricedOrder extends PricedOutcome {
  readonly portions: readonly Portion[]
}

/**
 * Prices a cart for its order, checks that all of it can be sold, and spends its codes. A code that somebody else has
 * just used up falls away, and the order is priced again.
 */
export async function priceOrder(
  work: Work,
  cart: Cart,
  buyer: Buyer,
  orderId: string,
): Promise<PricedOrder> {
  const shopper = codeShopperOf(buyer)
  const values = valuesOf(cart)
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const [outcome, stock] = await Promise.all([
      priceCart(work, values, { buyer: shopper, before: cart.inside.priced }),
      readStock(work, values.contents.lines),
    ])
    const portions = await mustBeSellable(work, outcome, stock)
    const { evaluation, shop } = outcome
    const unspent = await spendCodes(work, evaluation.uses, { id: orderId, shopper, at: shop.at })
    if (!unspent.length) return { ...outcome, portions }
  }
  throw new Problem(
    'conflict',
    'Other orders are spending the codes of this cart at the same time. Send the request again.',
  )
}

/** The stock of what lines sell. */
interface LineStock {
  readonly ids: ReadonlySet<string>
  readonly available: Available
}

async function readStock(work: Work, lines: readonly CartLine[]): Promise<LineStock> {
  const ids = soldIn(lines)
  return { ids: new Set(ids), available: await readAvailable(work, ids) }
}

/** The products of lines, and the parts of those that are bundles. */
const soldIn = (lines: readonly CartLine[]): readonly string[] =>
  lines.filter(isProduct).flatMap((line) => [line.productId, ...componentIdsOf(line)])

/** Refuses products that are no longer for sale, or not in stock. Returns the stock that the order takes. */
async function mustBeSellable(
  work: Work,
  { contents: { lines } }: PricedOutcome,
  stock: LineStock,
): Promise<readonly Portion[]> {
  const products = lines.filter(isProduct)
  const gone = products.find(({ isForSale }) => !isForSale)
  if (gone) {
    const detail = `${gone.name} is no longer for sale. Remove it from the cart.`
    throw new Problem('bad_request', detail, {
      title: 'Product not for sale',
      meta: { id: gone.productId, sku: gone.sku },
    })
  }
  // A new price of a bundle may have brought other parts.
  const isRead = soldIn(lines).every((id) => stock.ids.has(id))
  const { available } = isRead ? stock : await readStock(work, lines)
  const portions = stockPortionsOf(lines, (id) => available(id, undefined) !== undefined)
  for (const { productId, location, quantity } of portions) {
    const left = available(productId, location) ?? 0
    if (quantity <= left) continue
    const line =
      products.find((one) => one.productId === productId) ??
      products.find((one) => componentIdsOf(one).includes(productId))
    const what = line?.productId === productId ? line.name : `a part of ${line?.name}`
    throw new Problem(
      'bad_request',
      `There is not enough stock of ${what}: ${quantity} requested, ${left} available.`,
      {
        title: 'Insufficient stock',
        meta: { id: productId, sku: line?.sku },
      },
    )
  }
  return portions
}
