import { cartItem, itemsOf } from '../../carts/index.ts'
import { named } from '../../kernel/openapi/named-schemas.ts'
import { object, relationshipTo, uuid } from '../../kernel/openapi/shapes.ts'
import type { JsonSchema } from '../../kernel/shape/fields.ts'
import type { OrderContents } from './order-contents.ts'
import type { OrderRow } from './orders.ts'

type CartItem = Readonly<Record<string, unknown>> & {
  readonly id: string
  readonly type: string
  readonly promotion_source?: string
  readonly promotion_id?: string
  readonly relationships?: object
}

/** An item of an order: that of the cart with an id of its own. */
export const orderItem: JsonSchema = named('OrderItem', {
  ...cartItem,
  properties: {
    ...(cartItem.properties as object),
    type: { enum: ['order_item', 'custom_item', 'promotion_item'] },
    relationships: object(
      {
        ...(cartItem.properties as { relationships: { properties: object } }).relationships.properties,
        cart_item: relationshipTo(object({ type: { type: 'string' }, id: uuid })),
      },
      [],
    ),
  },
})

/** The items of an order as clients see them: its lines, and then what promotions take off the whole order. */
export function orderItemsOf(
  { createdAt }: Pick<OrderRow, 'createdAt'>,
  { contents, priced, cartItems }: OrderContents,
  baseUrl: string,
  include: readonly string[] = [],
): readonly object[] {
  const items = itemsOf({ contents, priced, includes: { names: include }, updatedAt: createdAt }, baseUrl)
  return (items as readonly CartItem[]).map((item) =>
    item.type === 'promotion_item' ? promotionItem(item) : withCartItem(item, cartItems[item.id]),
  )
}

function withCartItem(item: CartItem, cartItem: { readonly type: string; readonly id: string } | undefined) {
  return {
    ...item,
    type: item.type === 'custom_item' ? 'custom_item' : 'order_item',
    ...(cartItem && { relationships: { ...item.relationships, cart_item: { data: cartItem } } }),
  }
}

/** Clients tell the two kinds of promotions apart by the type of the item. */
function promotionItem({ promotion_id: productId, ...item }: CartItem) {
  const isRule = item.promotion_source === 'rule-promotion'
  return { ...item, type: isRule ? 'promotion_item' : 'order_item', product_id: productId }
}
