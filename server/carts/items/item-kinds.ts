import { isObject } from '../../kernel/body/input.ts'
import { kinds } from '../../kernel/body/kinds.ts'
import { Problem } from '../../kernel/errors.ts'
import { flag, group, integer, map, reference, text } from '../../kernel/shape/fields.ts'
import { quantityMax } from '../contents/contents.ts'
import { customInputsField } from './custom-inputs.ts'
import { sellerFields } from './seller-fields.ts'

const quantityField = integer({
  required: true,
  min: 1,
  max: quantityMax,
  about: 'How many pieces.',
  example: 2,
})

export const shippingGroupField = text({ max: 36, about: 'The id of a shipping group of the cart.' })

/** The options of a bundle. */
const optionsMax = 1500

const newItems = kinds({
  name: 'NewCartItem',
  most: 100,
  of: {
    cart_item: {
      about: 'A product of the catalog that the shopper sees, by its id or its SKU.',
      rules: { anyOf: [{ required: ['id'] }, { required: ['sku'] }] },
      fields: {
        id: reference('product', { about: 'The id of the product. Send this or `sku`.' }),
        sku: text({
          min: 1,
          max: 500,
          about: 'The SKU of the product. Send this or `id`.',
          example: 'LOAF-RYE',
        }),
        quantity: quantityField,
        custom_inputs: customInputsField,
        bundle_configuration: group(
          {
            selected_options: map(map(integer({ min: 0, max: quantityMax }), { maxKeys: optionsMax }), {
              maxKeys: optionsMax,
              about: 'How many of each option, by component and by the id of the option.',
            }),
          },
          {
            about:
              'Bundles only: the selected options. They must be a selection that `configure` accepts. Without `selected_options`, the members are the components. Default: the selection of the bundle itself.',
          },
        ),
        shipping_group_id: shippingGroupField,
        location: text({ max: 255, about: 'The slug of the location whose stock the item comes from.' }),
        ...sellerFields,
      },
    },
    custom_item: {
      about: 'An item that is not a product, at a price that the client says.',
      fields: {
        name: text({
          required: true,
          min: 1,
          max: 255,
          about: 'The name of the item.',
          example: 'Gift wrap',
        }),
        description: text({ max: 65_535, default: '', about: 'A description of the item.' }),
        sku: text({
          max: 500,
          default: '',
          about: 'A code of your own. Items with the same one become one line.',
          example: 'GIFT-WRAP',
        }),
        quantity: quantityField,
        price: group(
          {
            amount: integer({ required: true, min: 0, about: 'The price of one piece.' }),
            includes_tax: flag({ default: true, about: 'Whether the price includes tax.' }),
          },
          { required: true, about: 'The price of one piece, in the smallest unit of the currency.' },
        ),
        custom_inputs: customInputsField,
        shipping_group_id: shippingGroupField,
        ...sellerFields,
      },
    },
    promotion_item: {
      about: 'A promotion code.',
      fields: {
        code: text({
          required: true,
          min: 1,
          max: 255,
          pattern: /\S/,
          about: 'The code. White space at its ends does not count.',
          example: 'SPRING-10',
        }),
      },
    },
    cart_items: {
      about: 'The items of another cart, which stays as it is.',
      fields: {
        cart_id: text({ required: true, min: 1, max: 255, about: 'The id of the other cart.' }),
      },
    },
    order_items: {
      about: 'The products of an order again, at their current prices. Custom items are not ordered again.',
      fields: { order_id: text({ required: true, min: 1, max: 255, about: 'The id of the order.' }) },
    },
  },
})

export const itemKinds: typeof newItems = {
  ...newItems,
  read(body) {
    if (!isObject(body)) return newItems.read(body)
    const { data } = body
    refuseSubscriptions(data)
    return newItems.read({
      ...body,
      data: Array.isArray(data) ? data.map(wrapSelection) : wrapSelection(data),
    })
  },
}

/** Clients also send the components of a bundle without `selected_options` around them. */
function wrapSelection(item: unknown): unknown {
  if (!isObject(item)) return item
  const { bundle_configuration: bundle } = item
  if (!isObject(bundle) || Object.hasOwn(bundle, 'selected_options') || !Object.keys(bundle).length)
    return item
  return { ...item, bundle_configuration: { selected_options: bundle } }
}

/** The public API has subscriptions: a list of the other types alone would not say why they are refused. */
function refuseSubscriptions(data: unknown): void {
  const place = [data]
    .flat()
    .findIndex((one) => (one as { readonly type?: unknown } | null)?.type === 'subscription_item')
  if (place < 0) return
  const accepted = Object.keys(newItems.of).join(', ')
  const detail = `Subscriptions are not implemented, so a cart takes no subscription_item. It takes ${accepted}.`
  const source = Array.isArray(data) ? `data.${place}.type` : 'data.type'
  throw new Problem('unprocessable', detail, { source })
}
