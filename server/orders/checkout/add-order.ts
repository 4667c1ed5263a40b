import type { New } from '../../kernel/shape/fields.ts'
import type { Work } from '../../kernel/work/context.ts'
import { add } from '../../kernel/write/by-rules.ts'
import type { Notation } from '../../store/index.ts'
import type { Buyer } from '../buyer/buyer.ts'
import { insertContents, type OrderContents } from '../order/order-contents.ts'
import { type OrderFields, type OrderRow, orders } from '../order/orders.ts'
import { noStock } from '../order/stock-of-order.ts'
import { noPayments } from '../payment-state/payment-of.ts'

/** Stores a new order with its contents. Nothing of it is paid, and it has no stock. */
export async function addOrder(
  work: Work,
  id: string,
  { buyer, contents, values }: NewOrder,
): Promise<OrderRow> {
  const { customerId, accountId, accountMemberId, customer, contact } = buyer
  const { currency, prices } = contents.priced
  const row = await add(
    work,
    orders,
    [],
    {
      ...values,
      ...{ customer, contact },
      ...{ currency: currency satisfies Notation, prices, with_tax: prices.with_tax },
      ...{ payments: noPayments, stock: noStock },
      ...{ customer_id: customerId, account_id: accountId, account_member_id: accountMemberId },
      ...idsOf(contents),
    },
    id,
  )
  await insertContents(work.store, id, contents)
  return row
}

interface NewOrder {
  readonly buyer: Buyer
  readonly contents: OrderContents
  readonly values: Partial<New<OrderFields>>
}

const unique = (texts: readonly string[]): readonly string[] => [...new Set(texts)]

/** What an order is found by, and what its relationships name. */
function idsOf({ contents, priced }: OrderContents) {
  const { lines, customDiscounts } = contents
  return {
    item_ids: [...lines, ...priced.promotionItems].map(({ id }) => id),
    custom_discount_ids: [...lines.flatMap((line) => line.customDiscounts), ...customDiscounts].map(
      ({ id }) => id,
    ),
    promotion_ids: unique(priced.promotions.map(({ id }) => id)),
    product_ids: unique(lines.flatMap((line) => (line.kind === 'cart_item' ? line.productId : []))),
    product_skus: unique(lines.flatMap(({ sku }) => sku || [])),
  }
}
