import { named } from '../../kernel/openapi/named-schemas.ts'
import { listOf, object, uuid } from '../../kernel/openapi/shapes.ts'
import type { JsonSchema } from '../../kernel/shape/fields.ts'
import { priceTrace } from '../../prices/index.ts'

const string = { type: 'string' }
const integer = { type: 'integer' }
const amount = object({ amount: integer, currency: string, formatted: string })
const price = object({ amount: integer, currency: string, includes_tax: { type: 'boolean' } })
const both = object({ unit: amount, value: amount })
const link = object({ type: string, id: uuid })
const relationship = object({ data: { type: ['array', 'null'], items: link } })
const free: JsonSchema = { type: 'object', additionalProperties: true }
const byKey = (of: JsonSchema): JsonSchema => ({ type: 'object', additionalProperties: of })

/** A selected product of a bundle, as the shopper sees it. */
const componentProduct = object({
  type: { const: 'product' },
  id: uuid,
  attributes: free,
  meta: free,
  relationships: free,
})

/** An item of a cart, or of an order. */
export const cartItem: JsonSchema = named(
  'CartItem',
  object(
    {
      id: uuid,
      type: { enum: ['cart_item', 'custom_item', 'promotion_item'] },
      product_id: uuid,
      promotion_id: uuid,
      code: { ...string, description: 'Of a promotion: the code that was entered, or `auto_` and its id.' },
      name: string,
      description: string,
      sku: string,
      slug: string,
      image: object({ mime_type: string, file_name: string, href: string }),
      quantity: integer,
      manage_stock: { type: 'boolean' },
      unit_price: price,
      value: price,
      discounts: listOf(
        object(
          {
            amount: price,
            code: string,
            id: string,
            promotion_source: { const: 'rule-promotion' },
            is_cart_discount: { type: 'boolean' },
            ordinal: integer,
          },
          ['amount', 'id'],
        ),
      ),
      catalog_id: uuid,
      catalog_source: { const: 'pim' },
      location: string,
      auto_add_quantity: integer,
      bundle_configuration: object(
        { selected_options: byKey(byKey(integer)), component_products: listOf(componentProduct) },
        ['selected_options'],
      ),
      components: byKey(
        object({
          name: string,
          options: listOf(object({ id: uuid, type: { const: 'product' }, quantity: integer })),
        }),
      ),
      custom_inputs: free,
      custom_attributes: free,
      shipping_group_id: uuid,
      promotion_source: { const: 'rule-promotion' },
      links: object({ product: string }, []),
      relationships: object(
        { taxes: relationship, custom_discounts: relationship, promotions: relationship },
        [],
      ),
      meta: object(
        {
          display_price: object(
            {
              with_tax: both,
              without_tax: both,
              tax: both,
              discount: both,
              without_discount: both,
              discounts: byKey(
                object({
                  amount: integer,
                  currency: string,
                  formatted: string,
                  constituents: byKey(amount),
                }),
              ),
            },
            ['with_tax', 'without_tax', 'tax', 'discount', 'without_discount'],
          ),
          explanation: {
            ...object(
              {
                price: priceTrace('').schema,
                value: integer,
                discounts: listOf(
                  object({
                    source: string,
                    id: string,
                    code: string,
                    amount: integer,
                    is_cart_discount: { type: 'boolean' },
                  }),
                ),
                taxes: listOf(
                  object({ id: uuid, component_id: uuid, base: integer, amount: integer }, ['id', 'amount']),
                ),
                without_tax: integer,
                with_tax: integer,
              },
              [],
            ),
            description: 'How the item comes to its price. Present if the request has `Prefer: explain`.',
          },
          timestamps: object({ created_at: string, updated_at: string }),
        },
        ['display_price', 'timestamps'],
      ),
    },
    ['id', 'type', 'name', 'quantity', 'unit_price', 'value', 'meta'],
  ),
)
