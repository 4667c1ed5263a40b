import { listOf, object, uuid } from '../../kernel/openapi/shapes.ts'
import type { JsonSchema } from '../../kernel/shape/fields.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import type { Cart } from '../contents/cart-fields.ts'
import type { Contents, CustomDiscount, TaxItem } from '../contents/contents.ts'
import type { PricedCart } from '../contents/priced-cart.ts'
import { displayAmount } from '../totals/display-totals.ts'
import { type IncludeName, includeNames } from './includes.ts'
import { cartItem } from './item-schemas.ts'
import { itemsOf, taxesOf } from './show-items.ts'

const string = { type: 'string' }

export const taxItemMembers = {
  type: { const: 'tax_item' },
  id: uuid,
  code: string,
  name: string,
  jurisdiction: string,
  rate: { type: 'number' },
  amount: { type: 'integer' },
}

export const taxItemSchema = object(taxItemMembers, ['type', 'id'])

const amountSchema = object({ amount: { type: 'integer' }, currency: string, formatted: string })

export const customDiscountSchema = object(
  {
    type: { const: 'custom_discount' },
    id: uuid,
    external_id: string,
    discount_engine: string,
    description: string,
    discount_code: string,
    amount: amountSchema,
    relationships: object({ item: object({ data: object({ id: uuid, type: string }) }) }),
  },
  ['type', 'id', 'amount'],
)

export const promotionSchema = object(
  {
    type: { const: 'promotion' },
    id: uuid,
    name: string,
    description: string,
    automatic: { type: 'boolean' },
    promotion_type: string,
    promotion_source: { const: 'rule-promotion' },
    start: string,
    end: string,
  },
  ['type', 'id', 'name'],
)

const schemas: Readonly<Record<IncludeName, JsonSchema>> = {
  items: listOf(cartItem),
  tax_items: listOf(taxItemSchema),
  custom_discounts: listOf(customDiscountSchema),
  promotions: listOf(promotionSchema),
}

export const includedSchema: JsonSchema = object(schemas, [])

export const showTaxItem = ({ id, code, name, jurisdiction, rate, amount }: TaxItem) => ({
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
) => ({
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
): readonly object[] => [
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
  const all: Readonly<Record<IncludeName, () => readonly object[]>> = {
    items: () => itemsOf({ ...row.inside, updatedAt: row.updatedAt, includes }, ctx.baseUrl),
    tax_items: () => lines.flatMap(taxesOf).map(showTaxItem),
    custom_discounts: () => showCustomDiscounts({ lines, customDiscounts }, priced.currency),
    // Those of items are included with the items, which link to them.
    promotions: () => (showsItems ? priced.promotions : includes.promotions),
  }
  const lists = Object.fromEntries(chosen.map((name) => [name, all[name]()]))
  return `,"included":${JSON.stringify(lists)}`
}
