import { quantityMax } from '../../carts/index.ts'
import { choice, flag, group, integer, list, text, type Values } from '../../kernel/shape/fields.ts'
import {
  address,
  addressExample,
  buyerFields,
  paymentStates,
  shippings,
  statuses,
} from '../../orders/index.ts'

const currency = text({ max: 3, about: 'The code of the currency. All amounts of an order are in one.' })
const at = (about: string, bounds: object) =>
  group(
    { amount: integer({ ...bounds, about: 'In the smallest unit of the currency.' }), currency },
    { about },
  )
const amount = (about: string) => at(about, { min: 0 })
const reduction = (about: string) => at(about, { max: 0 })
const price = (about: string) =>
  group(
    {
      amount: integer({ required: true, min: 0, about: 'In the smallest unit of the currency.' }),
      currency,
      includes_tax: flag({ about: 'Whether the price includes tax.' }),
      include_tax: flag({ about: 'The same, as some clients write it.' }),
    },
    { about },
  )

const ofItem = (member: typeof amount, about: string) =>
  group({ unit: member('Of one piece.'), value: member('Of all pieces.') }, { about })

const itemFields = {
  type: choice(['order_item', 'custom_item'], { about: 'An item with a product is an `order_item`.' }),
  product_id: text({ format: 'uuid', about: 'The product, which need not exist any more.' }),
  name: text({ required: true, min: 1, max: 255, about: 'The name.', example: 'Mug' }),
  description: text({ max: 4096, about: 'The description.' }),
  sku: text({ max: 255, about: 'The SKU.', example: 'MUG' }),
  quantity: integer({ required: true, min: 1, max: quantityMax, about: 'How many pieces.', example: 2 }),
  unit_price: price('The price of one piece, before discounts.'),
  value: price('The price of all pieces; by default, the quantity times the unit price.'),
  location: text({ max: 255, about: 'The slug of the location that it came from.' }),
  meta: group(
    {
      display_price: group(
        {
          with_tax: ofItem(amount, 'What the item costs.'),
          without_tax: ofItem(amount, 'The same without tax.'),
          tax: ofItem(amount, 'The tax.'),
          discount: ofItem(reduction, 'What was taken off.'),
          without_discount: ofItem(amount, 'The price before discounts.'),
        },
        { about: 'The amounts of the item. What is absent follows from the others.' },
      ),
    },
    {},
  ),
}

/** At most as many as ten carts have. */
const itemsMax = 1000

/** The member `included` of the request, beside `data`. */
export const includedField = group(
  { items: list(group(itemFields, {}), { maxItems: itemsMax, about: 'The items of the order.' }) },
  { about: 'What belongs to the order.' },
)

export const manualOrderFields = {
  id: text({ format: 'uuid', about: 'The id of the order. By default, the server chooses one.' }),
  order_number: text({ max: 64, about: 'A number of your own. It need not be unique.' }),
  external_ref: text({ max: 64, about: 'The id of the order in another system.', example: 'erp-7731' }),
  status: choice(statuses, {
    about: 'By default, what follows from `payment`. Only `cancelled` may differ from that.',
  }),
  payment: choice(paymentStates, {
    default: 'unpaid',
    about: 'What has been paid. The server records it as a payment with the manual gateway.',
  }),
  shipping: choice(shippings, { default: 'unfulfilled', about: 'Whether the order has been shipped.' }),
  ...buyerFields,
  billing_address: address({ about: 'Who pays.', example: addressExample }),
  shipping_address: address({ about: 'Where the order is shipped; the billing address by default.' }),
  meta: group(
    {
      display_price: group(
        {
          with_tax: amount('The total.'),
          without_tax: amount('The total without tax.'),
          tax: amount('The tax.'),
          discount: reduction('What was taken off the items.'),
          without_discount: amount('The total before discounts.'),
          shipping: amount('What shipping costs.'),
          shipping_discount: reduction('What was taken off the shipping.'),
          paid: amount('What has been paid; needed if `payment` is `partially_paid`.'),
          authorized: amount('What is authorized; needed if `payment` is `partially_authorized`.'),
          balance_owing: amount('What is left to pay. It must agree with the other amounts.'),
        },
        { about: 'The totals. What is absent follows from the items.' },
      ),
      timestamps: group(
        {
          created_at: text({
            format: 'date-time',
            about: 'When the order was placed, in the past. By default, it is created now.',
            example: '2024-05-17T09:30:00Z',
          }),
        },
        { about: 'The date of an order that is moved here.' },
      ),
    },
    { about: 'The totals of the order, and its date.' },
  ),
}

export type ManualOrderBody = Values<typeof manualOrderFields>
export type ManualItem = Values<typeof itemFields>
