import { isSeller } from '../../kernel/auth/principal.ts'
import { hook } from '../../kernel/declare/hook.ts'
import { Problem } from '../../kernel/errors.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import type { ProductLine } from '../contents/contents.ts'
import { countOptions } from '../contents/must-be-few.ts'
import { mustBeFewItems, mustBeFewOptions } from './merge-carts.ts'
import type { NewItem } from './new-lines.ts'

/** Returns the products of an order that the caller may read; a Problem (404), with the `source`, for any other. */
export const findProductsOfOrder =
  hook<(ctx: Ctx, orderId: string, source: string) => Promise<readonly ProductLine[]>>('findProductsOfOrder')

/** Replaces each order among new items by its products, as if the request had named them. */
export async function withProductsOfOrders(ctx: Ctx, items: readonly NewItem[]): Promise<readonly NewItem[]> {
  const all: NewItem[] = []
  const ordered: ProductLine[] = []
  for (const item of items) {
    if (item.kind !== 'order_items') {
      all.push(item)
      continue
    }
    const source = `${item.source}.order_id`
    if (!isSeller(ctx.who) && !ctx.who.shopper) {
      const detail =
        'Only sellers and shoppers who are signed in can order again: send the token of the shopper.'
      throw new Problem('forbidden', detail, { source })
    }
    const lines = await findProductsOfOrder(ctx, item.values.order_id, source)
    ordered.push(...lines)
    mustBeFewItems(all.length + lines.length, source)
    mustBeFewOptions(countOptions(ordered), source)
    all.push(...lines.map((line) => toItem(line, item.source)))
  }
  return all
}

const toItem = ({ productId, quantity, customInputs, selection, location }: ProductLine, source: string) =>
  ({
    kind: 'cart_item',
    source,
    values: {
      ...{ id: productId, quantity, custom_inputs: customInputs, location },
      ...(selection && { bundle_configuration: { selected_options: selection } }),
    },
  }) as NewItem
