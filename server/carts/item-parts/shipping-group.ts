import { Problem } from '../../kernel/errors.ts'
import { object, uuid } from '../../kernel/openapi/shapes.ts'
import { field, group, integer, type ShownValues, text } from '../../kernel/shape/fields.ts'
import type { PartChange } from '../../kernel/thing/holder.ts'
import { withoutNulls } from '../../people/index.ts'
import type { Notation } from '../../store/index.ts'
import type { CartShippingGroup } from '../contents/contents.ts'
import { withTime } from '../contents/with-time.ts'
import type { ShippingTotals } from '../totals/cart-totals.ts'
import { displayShipping } from '../totals/display-totals.ts'

/** What carts and orders know of a shipping group. */

const price = (about: string) => integer({ min: 0, about })
export const shippingGroupFields = {
  shipping_type: text({
    max: 255,
    about: 'The kind of shipping, which promotions can name.',
    example: 'express',
  }),
  tracking_reference: text({ max: 1000, about: 'The number under which the carrier tracks the parcel.' }),
  external_ref: text({ max: 64, about: 'The id of the group in another system.' }),
  shipping_price: group(
    {
      base: price('The price of the carrier. Discounts come off this part.'),
      tax: price('The tax of shipping.'),
      fees: price('Further fees.'),
    },
    {
      about:
        'The price of shipping, in the smallest unit of the currency. Its total is the sum of the three.',
    },
  ),
  address: field<Readonly<Record<string, string | null>> | undefined>(
    {
      type: 'object',
      maxProperties: 50,
      propertyNames: { type: 'string', minLength: 1, maxLength: 255 },
      additionalProperties: { type: ['string', 'null'], maxLength: 1000 },
    },
    { about: 'The address, by the names of its parts. A part that is null is absent.' },
  ),
  delivery_estimate: group(
    {
      start: text({ max: 64, about: 'The earliest day or time of delivery.' }),
      end: text({ max: 64, about: 'The latest day or time of delivery.' }),
    },
    { about: 'When the group is delivered.' },
  ),
}

type GroupValues = ShownValues<typeof shippingGroupFields>

const string = { type: 'string' }
const amount = object({ amount: { type: 'integer' }, currency: string, formatted: string })
export const shippingDisplayPrice = object({
  total: amount,
  base: amount,
  tax: amount,
  fees: amount,
  discount: amount,
})

export const shippingGroupMembers = {
  type: { const: 'shipping_group' },
  id: uuid,
  shipping_type: string,
  tracking_reference: string,
  external_ref: string,
  address: { type: 'object', additionalProperties: string },
  delivery_estimate: object({ start: string, end: string }, []),
  shipping_price: object({ total: amount, base: amount, tax: amount, fees: amount }),
  created_at: string,
  updated_at: string,
  meta: object({ shipping_display_price: shippingDisplayPrice }),
}

const noPrice = { base: 0, tax: 0, fees: 0 }

/** A new group, which costs nothing unless the request has a price. */
export const newShippingGroup = (values: Partial<GroupValues>, { id, now }: PartChange): CartShippingGroup =>
  withGroupValues({ ...noPrice, id, createdAt: now, updatedAt: now, shippingType: '' }, values, { now })

/** The group with the values that a request has. */
export function withGroupValues(
  one: CartShippingGroup,
  values: Partial<GroupValues>,
  { now }: Pick<PartChange, 'now'>,
): CartShippingGroup {
  mustEndAfterStart(values.delivery_estimate)
  const changed = {
    ...one,
    shippingType: values.shipping_type ?? one.shippingType,
    trackingReference: values.tracking_reference ?? one.trackingReference,
    externalRef: values.external_ref ?? one.externalRef,
    address: values.address ? withoutNulls(values.address) : one.address,
    deliveryEstimate: values.delivery_estimate ?? one.deliveryEstimate,
    base: values.shipping_price?.base ?? one.base,
    tax: values.shipping_price?.tax ?? one.tax,
    fees: values.shipping_price?.fees ?? one.fees,
  }
  return withTime(one, changed, now)
}

/** Refuses an estimate that ends before it begins. Texts that are no times are not compared. */
function mustEndAfterStart(estimate: GroupValues['delivery_estimate']): void {
  const { start, end } = (estimate ?? {}) as { readonly start?: string; readonly end?: string }
  if (!start || !end || !(Date.parse(start) > Date.parse(end))) return
  throw new Problem(
    'bad_request',
    `data.delivery_estimate.start must not be after data.delivery_estimate.end (${end}), but it is ${start}.`,
    { title: 'Date Logic Discrepancy', source: 'data.delivery_estimate.start' },
  )
}

/** A group as clients see it, without whom it belongs to. */
export function showShippingGroup(one: CartShippingGroup, totals: ShippingTotals, currency: Notation) {
  const price = displayShipping(totals, currency)
  const { total, base, tax, fees } = price
  return {
    type: 'shipping_group',
    id: one.id,
    shipping_type: one.shippingType,
    tracking_reference: one.trackingReference,
    external_ref: one.externalRef,
    address: one.address,
    delivery_estimate: one.deliveryEstimate,
    shipping_price: { total, base, tax, fees },
    created_at: one.createdAt,
    updated_at: one.updatedAt,
    meta: { shipping_display_price: price },
  }
}
