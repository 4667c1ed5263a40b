import type { Includes } from '../contents/cart-fields.ts'
import { type CartLine, componentIdsOf, type ProductLine, type TaxItem } from '../contents/contents.ts'
import type { CartExplanation, PricedCart, PricedContents, PromotionItem } from '../contents/priced-cart.ts'
import type { LineTotals } from '../totals/cart-totals.ts'
import { displayLine, displayPromotionItem } from '../totals/display-totals.ts'
import { lineTotals } from '../totals/total-cart.ts'
import type { CartItem, ItemExplanation } from './item-fields.ts'

const noImage = { mime_type: '', file_name: '', href: '' }
/** A time as clients of carts see it, without milliseconds. */
export const second = (time: string) => `${time.slice(0, 19)}Z`

/** The contents of a cart, when they changed last, and what the request includes. */
interface ShownItems extends PricedContents {
  readonly updatedAt: string
  readonly includes?: Pick<Includes, 'names' | 'componentProducts'> | undefined
}

/** The items of a cart as clients see them: its lines, and then what promotions take off the whole cart. */
export function itemsOf(shown: ShownItems, baseUrl: string): readonly CartItem[] {
  const { contents, priced, includes = { names: [] }, updatedAt } = shown
  return [
    ...contents.lines.map((line, i) => lineItem(line, i, priced, baseUrl, includes)),
    ...priced.promotionItems.map((item) => promotionItem(item, priced, updatedAt)),
  ]
}

function lineItem(
  line: CartLine,
  i: number,
  priced: PricedCart,
  baseUrl: string,
  includes: NonNullable<ShownItems['includes']>,
): CartItem {
  const { currency } = priced
  const { unit, image, quantity } = line
  const parts = priced.lines[i] as PricedCart['lines'][number]
  const prices = parts.prices ?? lineTotals({ quantity, includesTax: unit.includesTax }, parts)
  const totals = { ...parts, prices }
  const amount = (value: number) => ({
    amount: value,
    currency: currency.code,
    includes_tax: unit.includesTax,
  })
  return {
    id: line.id,
    type: line.kind,
    ...(line.kind === 'cart_item' && { product_id: line.productId }),
    name: line.name,
    description: line.description,
    sku: line.sku,
    slug: line.slug,
    image: image
      ? {
          mime_type: image.mime_type,
          file_name: image.file_name,
          href: image.href.startsWith('/') ? baseUrl + image.href : image.href,
        }
      : noImage,
    quantity,
    manage_stock: line.kind === 'cart_item' && line.isTracked,
    unit_price: amount(unit.amount),
    value: amount(totals.value),
    discounts: totals.discounts.map(({ cause, amount: taken, isOfCart, ordinal }) => ({
      amount: amount(taken),
      code: cause.code,
      id: cause.id,
      ...(cause.source === 'rule' && { promotion_source: 'rule-promotion' }),
      is_cart_discount: isOfCart,
      ordinal,
    })),
    ...(line.kind === 'cart_item' && productMembers(line, includes)),
    custom_inputs: line.customInputs,
    custom_attributes: line.customAttributes,
    shipping_group_id: line.shippingGroupId,
    links: line.kind === 'cart_item' ? { product: `${baseUrl}/v2/products/${line.productId}` } : {},
    ...relationshipsOf(line, totals.discounts, includes),
    meta: {
      display_price: displayLine(totals, currency),
      explanation: priced.explanation && explainLine(totals, priced.explanation.traces[i]),
      timestamps: { created_at: second(line.addedAt), updated_at: second(line.updatedAt) },
    },
  }
}

/** How a line comes to its price: its value, what each cause takes off, and each tax. */
const explainLine = (
  { value, discounts, taxes, prices }: Pick<LineTotals, 'value' | 'discounts' | 'taxes' | 'prices'>,
  price: CartExplanation['traces'][number],
): ItemExplanation => ({
  price,
  value,
  discounts: discounts.map(({ cause: { source, id, code }, amount, isOfCart }) => ({
    ...{ source, id, code, amount },
    is_cart_discount: isOfCart,
  })),
  taxes: taxes.map(({ id, componentId, base, amount }) => ({ id, component_id: componentId, base, amount })),
  without_tax: prices.without_tax.value,
  with_tax: prices.with_tax.value,
})

const productMembers = (
  line: ProductLine,
  { componentProducts }: Pick<Includes, 'componentProducts'>,
): Partial<CartItem> => {
  const { facts, selection, components, location, autoAdded } = line
  return {
    catalog_id: facts.catalogId,
    catalog_source: 'pim',
    location,
    auto_add_quantity: autoAdded,
    ...(components && {
      bundle_configuration: {
        selected_options: selection ?? selectionOf(components),
        component_products:
          componentProducts && componentIdsOf(line).flatMap((id) => componentProducts.get(id) ?? []),
      },
      components: Object.fromEntries(
        Object.entries(components).map(([key, { name, options }]) => [
          key,
          { name, options: options.map(({ id, quantity }) => ({ id, type: 'product', quantity })) },
        ]),
      ),
    }),
  }
}

const selectionOf = (components: NonNullable<ProductLine['components']>) =>
  Object.fromEntries(
    Object.entries(components).map(([key, { options }]) => [
      key,
      Object.fromEntries(options.map(({ id, quantity }) => [id, quantity])),
    ]),
  )

/** All tax items that count in the price of a line. */
export const taxesOf = (line: CartLine): readonly TaxItem[] => [
  ...line.taxes,
  ...(line.kind === 'cart_item' ? Object.values(line.componentTaxes ?? {}).flat() : []),
]

/** The taxes and discounts of a line. `data` has their links where the request includes them. */
function relationshipsOf(
  line: CartLine,
  discounts: PricedCart['lines'][number]['discounts'],
  { names }: Pick<Includes, 'names'>,
) {
  const { customDiscounts } = line
  const promotionIds = discounts.flatMap(({ cause }) => (cause.source === 'custom' ? [] : [cause.id]))
  const links = (type: string, ids: readonly string[], name: string) =>
    ids.length ? { data: names.includes(name) ? ids.map((id) => ({ type, id })) : null } : undefined
  const relationships = {
    taxes: links(
      'tax_item',
      taxesOf(line).map(({ id }) => id),
      'tax_items',
    ),
    custom_discounts: links(
      'custom_discount',
      customDiscounts.map(({ id }) => id),
      'custom_discounts',
    ),
    promotions: links('promotion', [...new Set(promotionIds)], 'promotions'),
  }
  return Object.values(relationships).some(Boolean) ? { relationships } : {}
}

function promotionItem(
  { id, cause, amount }: PromotionItem,
  { currency }: PricedCart,
  updatedAt: string,
): CartItem {
  const price = { amount, currency: currency.code, includes_tax: false }
  return {
    id,
    type: 'promotion_item',
    promotion_id: cause.id,
    code: cause.code,
    name: cause.name,
    description: 'Promotion',
    sku: cause.code,
    slug: '',
    image: noImage,
    quantity: 1,
    manage_stock: false,
    unit_price: price,
    value: price,
    ...(cause.source === 'rule' && { promotion_source: 'rule-promotion' }),
    links: {},
    meta: {
      display_price: displayPromotionItem(amount, currency),
      timestamps: { created_at: second(updatedAt), updated_at: second(updatedAt) },
    },
  }
}
