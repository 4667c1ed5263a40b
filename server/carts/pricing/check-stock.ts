import { stockOf } from '../../assortment/index.ts'
import { Problem } from '../../kernel/errors.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { CartValues } from '../contents/cart-fields.ts'
import type { ProductLine } from '../contents/contents.ts'

/** How many pieces of a product can be sold; undefined where nobody counts them. */
export type Available = (productId: string, location: string | undefined) => number | undefined

/** Reads the stock of products. */
export async function readAvailable(work: Work, productIds: readonly string[]): Promise<Available> {
  const stocks = productIds.length ? await stockOf(work, [...new Set(productIds)]) : new Map()
  return (productId, location) => {
    const stock = stocks.get(productId)
    if (!stock || location === undefined) return stock?.available
    return stock.locations?.[location]?.available ?? 0
  }
}

/** Whether the cart checks stock before its checkout. */
export const checksStock = ({ inventory_settings, snapshot_date }: CartValues): boolean =>
  !inventory_settings?.defer_inventory_check && snapshot_date === undefined

/** Refuses a quantity that is not in stock. An add checks the pieces that it adds, an update all of the line. */
export function mustBeInStock(
  { productId, name, sku, location }: Pick<ProductLine, 'productId' | 'name' | 'sku' | 'location'>,
  quantity: number,
  available: Available,
  source: string,
): void {
  const left = available(productId, location)
  if (left === undefined || quantity <= left) return
  throw new Problem(
    'bad_request',
    `There is not enough stock to add ${name} to the cart: ${quantity} requested, ${left} available.`,
    {
      title: 'Insufficient stock',
      source,
      meta: { id: productId, sku },
    },
  )
}
