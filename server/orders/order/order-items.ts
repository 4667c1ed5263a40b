import { type CartItem, itemFields, itemRelationships, itemsOf } from '../../carts/index.ts'
import { named } from '../../kernel/openapi/named-schemas.ts'
import { optional, relationshipTo, type ShownValue, shown } from '../../kernel/shape/shown.ts'
import type { OrderContents } from './order-contents.ts'
import type { OrderRow } from './orders.ts'

/** An item of an order: that of the cart with an id of its own. */
export const orderItem = named(
  'OrderItem',
  shown.group({
    ...itemFields,
    type: shown.constant('order_item', 'custom_item', 'promotion_item'),
    relationships: optional(
      shown.group({
        ...itemRelationships,
        cart_item: optional(relationshipTo(shown.group({ type: shown.text, id: shown.uuid }))),
      }),
    ),
  }),
)

type OrderItem = ShownValue<typeof orderItem>

/** The items of an order as clients see them: its lines, and then what promotions take off the whole order. */
export function orderItemsOf(
  { createdAt }: Pick<OrderRow, 'createdAt'>,
  { contents, priced, cartItems }: OrderContents,
  baseUrl: string,
  include: readonly string[] = [],
): readonly OrderItem[] {
  const items = itemsOf({ contents, priced, includes: { names: include }, updatedAt: createdAt }, baseUrl)
  return items.map((item) =>
    item.type === 'promotion_item' ? promotionItem(item) : withCartItem(item, cartItems[item.id]),
  )
}

function withCartItem(item: CartItem, cartItem: OrderContents['cartItems'][string] | undefined): OrderItem {
  return {
    ...item,
    type: item.type === 'custom_item' ? 'custom_item' : 'order_item',
    ...(cartItem && { relationships: { ...item.relationships, cart_item: { data: cartItem } } }),
  }
}

/** Clients tell the two kinds of promotions apart by the type of the item. */
function promotionItem({ promotion_id: productId, ...item }: CartItem): OrderItem {
  const isRule = item.promotion_source === 'rule-promotion'
  return { ...item, type: isRule ? 'promotion_item' : 'order_item', product_id: productId }
}
