import { Problem } from '../../kernel/errors.ts'
import { field, type ShownValues, text } from '../../kernel/shape/fields.ts'
import type { PartChange } from '../../kernel/thing/holder.ts'
import type { Contents, CustomDiscount } from '../contents/contents.ts'
import type { OpenCart } from './cart.ts'

const below0 = { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: -1 }

export const discountFields = {
  amount: field<number | { readonly amount: number }>(
    {
      type: ['integer', 'object'],
      minimum: below0.minimum,
      maximum: below0.maximum,
      required: ['amount'],
      properties: { amount: below0 },
    },
    {
      required: true,
      about: 'What is taken off, below 0, in the smallest unit of the currency.',
      example: { amount: -500 },
    },
  ),
  description: text({
    required: true,
    max: 65_535,
    about: 'A description of the discount.',
    example: 'Regular guest',
  }),
  discount_code: text({ required: true, max: 255, about: 'The code of the discount.', example: 'REGULAR' }),
  discount_engine: text({
    required: true,
    max: 255,
    about: 'The system that made the discount.',
    example: 'Till',
  }),
  external_id: text({
    required: true,
    max: 255,
    about: 'The id of the discount in that system.',
    example: 'till-81',
  }),
}

export type DiscountValues = ShownValues<typeof discountFields>

/** Of refusals. */
export const discountTitle = 'Custom discount not added to cart'

/** Refuses a discount to a cart that takes none. */
export function mustTakeDiscounts(contents: Contents, { cart, shop, source }: OpenCart & PartChange): void {
  if (!cart.discount_settings?.custom_discounts_enabled) {
    const detail =
      'Custom discounts are not enabled for this cart: set discount_settings.custom_discounts_enabled to true.'
    throw new Problem('bad_request', detail, { source })
  }
  const refuse = (detail: string) => new Problem('unprocessable', detail, { title: discountTitle, source })
  if (!contents.lines.length) throw refuse('An empty cart takes no custom discount. Add an item first.')
  if (shop.method === 'simple') {
    throw refuse(
      'Custom discounts need the calculation method line: the store’s setting calculation_method must be line, not simple.',
    )
  }
}

/** A discount with the values that a request has. */
export function withValues(
  before: CustomDiscount,
  { amount, description, discount_code, discount_engine, external_id }: Partial<DiscountValues>,
): CustomDiscount {
  return {
    ...before,
    amount: (typeof amount === 'object' ? amount.amount : amount) ?? before.amount,
    description: description ?? before.description,
    code: discount_code ?? before.code,
    engine: discount_engine ?? before.engine,
    externalId: external_id ?? before.externalId,
  }
}
