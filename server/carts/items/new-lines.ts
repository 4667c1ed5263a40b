import type { SentItem } from '../../kernel/body/kinds.ts'
import { Problem } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import type { CustomLine, ProductLine } from '../contents/contents.ts'
import type { CartQuote, CartShop } from '../pricing/cart-shop.ts'
import { componentsOf, newProductLine, unitPriceOf } from '../pricing/current-line.ts'
import { checkedInputs } from './custom-inputs.ts'
import type { itemKinds } from './item-kinds.ts'
import { sellerMembers } from './seller-fields.ts'

export type NewItem = SentItem<typeof itemKinds.of>
type Of<K extends NewItem['kind']> = Extract<NewItem, { readonly kind: K }>

/** A new line for a product, or a Problem that says why the shopper cannot buy it. */
export function productLine(
  item: Of<'cart_item'>,
  quote: CartQuote,
  shop: CartShop,
  isTracked: boolean,
): ProductLine {
  const { values, source } = item
  const { id, sku, quantity, custom_inputs, bundle_configuration, shipping_group_id, location } = values
  const meta = id === undefined ? { sku } : { id }
  if (!quote.item) {
    throw new Problem(
      'not_found',
      'The requested product could not be found: the shopper’s catalog does not have it.',
      {
        title: 'Product not found',
        source,
        meta,
      },
    )
  }
  if (quote.refusal) {
    const { detail, component } = quote.refusal
    const at = component === undefined ? '' : `.bundle_configuration.selected_options.${component}`
    throw new Problem('unprocessable', detail, { source: source + at, meta })
  }
  const unit = unitPriceOf(quote, quantity, shop.currency.code)
  if (!unit) {
    const why = quote.isPriced ? `It has no price in ${shop.currency.code}.` : quote.reason.detail
    throw new Problem('bad_request', `The product cannot be bought. ${why}`, { source, meta })
  }
  const line = {
    ...newProductLine({ item: quote.item, unit, quantity, now: shop.now, isTracked }),
    location,
    selection: bundle_configuration?.selected_options,
    customInputs: checkedInputs(custom_inputs, source),
    shippingGroupId: shipping_group_id || undefined,
    ...sellerMembers(values, source),
  }
  return { ...line, ...componentsOf(line, quote, shop.currency.code) }
}

/** A new line for a custom item. */
export function customLine({ values, source }: Of<'custom_item'>, shop: CartShop): CustomLine {
  const { name, description, sku, quantity, price, custom_inputs, shipping_group_id } = values
  return {
    kind: 'custom_item',
    id: newId(),
    addedAt: shop.now,
    updatedAt: shop.now,
    quantity,
    name,
    description,
    sku,
    slug: '',
    image: undefined,
    unit: { amount: price.amount, includesTax: price.includes_tax },
    customInputs: checkedInputs(custom_inputs, source),
    shippingGroupId: shipping_group_id || undefined,
    ...sellerMembers(values, source),
    customDiscounts: [],
  }
}
