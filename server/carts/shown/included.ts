import { optional, relationshipTo, type ShownValue, shown } from '../../kernel/shape/shown.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import type { Cart } from '../contents/cart-fields.ts'
import type { Contents, CustomDiscount, TaxItem } from '../contents/contents.ts'
import type { PricedCart } from '../contents/priced-cart.ts'
import { displayedAmount } from '../totals/display-fields.ts'
import { displayAmount } from '../totals/display-totals.ts'
import { type IncludeName, includeNames } from './includes.ts'
import { cartItem } from './item-fields.ts'
import { itemsOf, taxesOf } from './show-items.ts'

export const taxItemFields = {
  type: shown.constant('tax_item'),
  id: shown.uuid,
  code: optional(shown.text),
  name: optional(shown.text),
  jurisdiction: optional(shown.text),
  rate: optional(shown.number),
  amount: optional(shown.integer),
}

export const taxItem = shown.group(taxItemFields)

/** Which item a tax item or a custom discount belongs to. */
export const itemRelationship = shown.group({
  item: relationshipTo(shown.group({ id: shown.uuid, type: shown.text })),
})

export const customDiscount = shown.group({
  type: shown.constant('custom_discount'),
  id: shown.uuid,
  external_id: optional(shown.text),
  discount_engine: optional(shown.text),
  description: optional(shown.text),
  discount_code: optional(shown.text),
  amount: displayedAmount,
  relationships: optional(itemRelationship),
})

export const promotion = shown.group({
  type: shown.constant('promotion'),
  id: shown.uuid,
  name: shown.text,
  description: optional(shown.text),
  automatic: optional(shown.flag),
  promotion_type: optional(shown.text),
  promotion_source: optional(shown.constant('rule-promotion')),
  start: optional(shown.text),
  end: optional(shown.text),
})

const lists = {
  items: optional(shown.list(cartItem)),
  tax_items: optional(shown.list(taxItem)),
  custom_discounts: optional(shown.list(customDiscount)),
  promotions: optional(shown.list(promotion)),
} satisfies Readonly<Record<IncludeName, unknown>>

/** The member `included` of a response. */
export const included = shown.group(lists)

type IncludedLists = ShownValue<typeof included>
type ShownDiscount = ShownValue<typeof customDiscount>

export const showTaxItem = ({
  id,
  code,
  name,
  jurisdiction,
  rate,
  amount,
}: TaxItem): ShownValue<typeof taxItem> => ({
  type: 'tax_item',
  id,
  code,
  name,
  jurisdiction,
  rate,
  amount,
})

export const showCustomDiscount = (
  { id, externalId, engine, description, code, amount }: CustomDiscount,
  currency: PricedCart['currency'],
  line?: { readonly id: string; readonly kind: string },
): ShownDiscount => ({
  type: 'custom_discount',
  id,
  external_id: externalId,
  discount_engine: engine,
  description,
  discount_code: code,
  amount: displayAmount(amount, currency),
  ...(line && { relationships: { item: { data: { type: line.kind, id: line.id } } } }),
})

/** What the custom discounts of a cart and of its items are shown by. */
export interface HeldDiscounts {
  readonly lines: readonly Pick<Contents['lines'][number], 'id' | 'kind' | 'customDiscounts'>[]
  readonly customDiscounts: Contents['customDiscounts']
}

/** The custom discounts of the items, and then those of the cart. */
export const showCustomDiscounts = (
  { lines, customDiscounts }: HeldDiscounts,
  currency: PricedCart['currency'],
): readonly ShownDiscount[] => [
  ...lines.flatMap((line) => line.customDiscounts.map((one) => showCustomDiscount(one, currency, line))),
  ...customDiscounts.map((one) => showCustomDiscount(one, currency)),
]

/** The member `included` of a response, after a comma; empty where the request includes nothing. */
export function includedIn(ctx: Ctx, row: Cart, accepted: readonly IncludeName[] = includeNames): string {
  const { includes } = row.hidden
  const chosen = accepted.filter((name) => includes?.names.includes(name))
  if (!chosen.length || !includes) return ''
  const { contents, priced } = row.inside
  const { lines, customDiscounts } = contents
  const showsItems = chosen.includes('items') || !accepted.includes('items')
  const all: { readonly [N in IncludeName]: () => IncludedLists[N] } = {
    items: () => itemsOf({ ...row.inside, updatedAt: row.updatedAt, includes }, ctx.baseUrl),
    tax_items: () => lines.flatMap(taxesOf).map(showTaxItem),
    custom_discounts: () => showCustomDiscounts({ lines, customDiscounts }, priced.currency),
    // Those of items are included with the items, which link to them.
    promotions: () => (showsItems ? priced.promotions : includes.promotions),
  }
  const members = Object.fromEntries(chosen.map((name) => [name, all[name]()]))
  return `,"included":${JSON.stringify(members)}`
}
