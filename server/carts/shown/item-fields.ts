import { named } from '../../kernel/openapi/named-schemas.ts'
import { about, optional, orNull, type ShownValue, shown } from '../../kernel/shape/shown.ts'
import { priceTrace } from '../../prices/index.ts'
import { lineDisplayPrice } from '../totals/display-fields.ts'

const price = shown.group({ amount: shown.integer, currency: shown.text, includes_tax: shown.flag })
const links = shown.group({ data: orNull(shown.list(shown.group({ type: shown.text, id: shown.uuid }))) })
const promotionSource = optional(shown.constant('rule-promotion'))

/** A selected product of a bundle, as the shopper sees it. */
const componentProduct = shown.group({
  type: shown.constant('product'),
  id: shown.uuid,
  attributes: shown.object,
  meta: shown.object,
  relationships: shown.object,
})

const discount = shown.group({
  amount: price,
  code: optional(shown.text),
  id: shown.text,
  promotion_source: promotionSource,
  is_cart_discount: optional(shown.flag),
  ordinal: optional(shown.integer),
})

/** How an item comes to its price: its value, what each cause takes off, and each tax. */
const explanation = shown.group({
  price: priceTrace(''),
  value: optional(shown.integer),
  discounts: optional(
    shown.list(
      shown.group({
        source: shown.text,
        id: shown.text,
        code: shown.text,
        amount: shown.integer,
        is_cart_discount: shown.flag,
      }),
    ),
  ),
  taxes: optional(
    shown.list(
      shown.group({
        id: shown.uuid,
        component_id: optional(shown.uuid),
        base: optional(shown.integer),
        amount: shown.integer,
      }),
    ),
  ),
  without_tax: optional(shown.integer),
  with_tax: optional(shown.integer),
})

export const itemRelationships = {
  taxes: optional(links),
  custom_discounts: optional(links),
  promotions: optional(links),
}

export const itemFields = {
  id: shown.uuid,
  type: shown.constant('cart_item', 'custom_item', 'promotion_item'),
  product_id: optional(shown.uuid),
  promotion_id: optional(shown.uuid),
  code: optional(about('Of a promotion: the code that was entered, or `auto_` and its id.', shown.text)),
  name: shown.text,
  description: optional(shown.text),
  sku: optional(shown.text),
  slug: optional(shown.text),
  image: optional(shown.group({ mime_type: shown.text, file_name: shown.text, href: shown.text })),
  quantity: shown.integer,
  manage_stock: optional(shown.flag),
  unit_price: price,
  value: price,
  discounts: optional(shown.list(discount)),
  catalog_id: optional(shown.uuid),
  catalog_source: optional(shown.constant('pim')),
  location: optional(shown.text),
  auto_add_quantity: optional(shown.integer),
  bundle_configuration: optional(
    shown.group({
      selected_options: shown.map(shown.map(shown.integer)),
      component_products: optional(shown.list(componentProduct)),
    }),
  ),
  components: optional(
    shown.map(
      shown.group({
        name: shown.text,
        options: shown.list(
          shown.group({ id: shown.uuid, type: shown.constant('product'), quantity: shown.integer }),
        ),
      }),
    ),
  ),
  custom_inputs: optional(shown.object),
  custom_attributes: optional(shown.object),
  shipping_group_id: optional(shown.uuid),
  promotion_source: promotionSource,
  links: optional(shown.group({ product: optional(shown.text) })),
  relationships: optional(shown.group(itemRelationships)),
  meta: shown.group({
    display_price: lineDisplayPrice,
    explanation: optional(
      about('How the item comes to its price. Present if the request has `Prefer: explain`.', explanation),
    ),
    timestamps: shown.group({ created_at: shown.text, updated_at: shown.text }),
  }),
}

/** An item of a cart. */
export const cartItem = named('CartItem', shown.group(itemFields))

export type CartItem = ShownValue<typeof cartItem>
export type ItemExplanation = ShownValue<typeof explanation>
