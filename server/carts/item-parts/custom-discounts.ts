import { kinds } from '../../kernel/body/kinds.ts'
import { action } from '../../kernel/declare/action.ts'
import { notFound, Problem, type ProblemExtras } from '../../kernel/errors.ts'
import { withErrors } from '../../kernel/http/problems.ts'
import { newId } from '../../kernel/ids.ts'
import { listOf } from '../../kernel/openapi/shapes.ts'
import { json, noContent } from '../../kernel/shape/answer.ts'
import { type Field, field, group, type ShownValues, text } from '../../kernel/shape/fields.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { changeCart } from '../cart/change-cart.ts'
import type { Cart, CartValues } from '../contents/cart-fields.ts'
import type { Contents, CustomDiscount } from '../contents/contents.ts'
import type { CartShop } from '../pricing/cart-shop.ts'
import { customDiscountSchema, showCustomDiscount } from '../shown/included.ts'
import { applyEach } from './apply-each.ts'
import { itemLinkFields } from './item-link.ts'
import { lineOf, withLine } from './line-of.ts'
import { allOrNothing, isList } from './request.ts'

/** The custom discounts of one item, and of the cart itself. */
const discountsMax = 5

const below0 = { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: -1 }

const discountFields = {
  amount: field<number | { readonly amount: number } | undefined>(
    {
      type: ['integer', 'object'],
      minimum: below0.minimum,
      maximum: below0.maximum,
      required: ['amount'],
      properties: { amount: below0 },
    },
    { about: 'What is taken off, below 0, in the smallest unit of the currency.', example: { amount: -500 } },
  ),
  description: text({ max: 65_535, about: 'A description of the discount.', example: 'Regular guest' }),
  discount_code: text({ max: 255, about: 'The code of the discount.', example: 'REGULAR' }),
  discount_engine: text({ max: 255, about: 'The system that made the discount.', example: 'Till' }),
  external_id: text({ max: 255, about: 'The id of the discount in that system.', example: 'till-81' }),
}

type DiscountValues = ShownValues<typeof discountFields>

const isRequired = <F extends Field>(one: F) => ({
  ...one,
  options: { ...one.options, required: true as const },
})

const required = {
  amount: isRequired(discountFields.amount),
  description: isRequired(discountFields.description),
  discount_code: isRequired(discountFields.discount_code),
  discount_engine: isRequired(discountFields.discount_engine),
  external_id: isRequired(discountFields.external_id),
}

const area = 'cart-discounts'

/** The discounts of an item, or of the cart itself. */
interface Holder {
  /** Says that there are too many. */
  readonly limit: ProblemExtras
  readonly of: (contents: Contents, source?: string) => readonly CustomDiscount[]
  readonly set: (contents: Contents, discounts: readonly CustomDiscount[]) => Contents
}

const title = 'Custom discount not added to cart'

const ofCart: Holder = {
  limit: { title },
  of: ({ customDiscounts }) => customDiscounts,
  set: (contents, customDiscounts) => ({ ...contents, customDiscounts }),
}

const ofItem = (id: string): Holder => ({
  limit: { title: 'Limit Reached', meta: { id } },
  of: (contents, source) => lineOf(contents, id, source).customDiscounts,
  set: (contents, customDiscounts) => withLine(contents, id, { customDiscounts }),
})

const holderOf = (itemId: string | undefined): Holder => (itemId === undefined ? ofCart : ofItem(itemId))

const newDiscounts = kinds({
  name: 'NewCustomDiscount',
  most: 100,
  of: {
    custom_discount: {
      about: 'A discount of the cart itself, or of an item.',
      fields: {
        ...required,
        relationships: group(itemLinkFields, {
          about: 'The item that is discounted. Without it, the discount is one of the cart itself.',
        }),
      },
    },
  },
})

/** Adds custom discounts to a cart and its items, one or many. */
export const addCustomDiscounts = action({
  name: 'add-custom-discounts',
  route: 'POST /v2/carts/:cart_id/custom-discounts',
  about:
    'Adds custom discounts to a cart, which takes them in place of promotions, or to its items. Of a list, those that cannot be added are listed in `errors` beside those that can; if none can, or with `options.add_all_or_nothing`, the request is refused.',
  area,
  status: 201,
  queuesBy: 'cart_id',
  kinds: newDiscounts,
  shows: { data: { anyOf: [customDiscountSchema, listOf(customDiscountSchema)] }, errors: true },
  async run(ctx, { params, items, rawBody }) {
    const isAllOrNothing = allOrNothing(rawBody, 'add_all_or_nothing', false)
    const refused: Problem[] = []
    const added: (readonly [id: string, itemId: string | undefined])[] = []
    const row = await changeCart(ctx, params.cart_id, {
      apply: (contents, shop, cart) =>
        applyEach(contents, items, { isAllOrNothing, refused }, (sofar, { values, source }) => {
          const itemId = values.relationships?.item.data.id
          const discount = newDiscount(values, shop.now)
          const next = withDiscount(sofar, holderOf(itemId), discount, { cart, shop, source })
          added.push([discount.id, itemId])
          return next
        }),
    })
    const discounts = added.map(([id, itemId]) => shown(row, holderOf(itemId), id, itemId))
    return withErrors(json(201, { data: isList(rawBody) ? discounts : discounts[0] }), refused)
  },
})

/** Adds a custom discount to an item. */
export const addCustomDiscountToItem = action({
  name: 'add-custom-discount-to-item',
  route: 'POST /v2/carts/:cart_id/items/:item_id/custom-discounts',
  about: 'Adds a custom discount to all pieces of an item together.',
  area,
  status: 201,
  queuesBy: 'cart_id',
  body: { type: 'custom_discount', fields: required },
  shows: { data: customDiscountSchema },
  async run(ctx, { params, body }) {
    const holder = ofItem(params.item_id)
    let id = ''
    const row = await changeCart(ctx, params.cart_id, {
      apply: (contents, shop, cart) => {
        const discount = newDiscount(body, shop.now)
        id = discount.id
        return withDiscount(contents, holder, discount, { cart, shop, source: 'data' })
      },
    })
    return json(201, { data: shown(row, holder, id, params.item_id) })
  },
})

/** Changes a custom discount of a cart. */
export const updateCustomDiscount = action({
  name: 'update-custom-discount',
  route: 'PUT /v2/carts/:cart_id/custom-discounts/:discount_id',
  about: 'Changes a custom discount of a cart.',
  area,
  status: 200,
  queuesBy: 'cart_id',
  body: { type: 'custom_discount', typeOptional: true, fields: discountFields },
  shows: { data: customDiscountSchema },
  run: async (ctx, { params, body }) => {
    const row = await update(ctx, params.cart_id, ofCart, params.discount_id, body)
    return json(200, { data: shown(row, ofCart, params.discount_id) })
  },
})

/** Changes a custom discount of an item. */
export const updateCustomDiscountOfItem = action({
  name: 'update-custom-discount-of-item',
  route: 'PUT /v2/carts/:cart_id/items/:item_id/custom-discounts/:discount_id',
  about: 'Changes a custom discount of an item.',
  area,
  status: 200,
  queuesBy: 'cart_id',
  body: { type: 'custom_discount', typeOptional: true, fields: discountFields },
  shows: { data: customDiscountSchema },
  run: async (ctx, { params, body }) => {
    const holder = ofItem(params.item_id)
    const row = await update(ctx, params.cart_id, holder, params.discount_id, body)
    return json(200, { data: shown(row, holder, params.discount_id, params.item_id) })
  },
})

/** Removes a custom discount of a cart. */
export const deleteCustomDiscount = action({
  name: 'delete-custom-discount',
  route: 'DELETE /v2/carts/:cart_id/custom-discounts/:discount_id',
  about: 'Removes a custom discount of a cart.',
  area,
  status: 204,
  queuesBy: 'cart_id',
  shows: { body: null },
  run: (ctx, { params }) => removeFrom(ctx, params.cart_id, ofCart, params.discount_id),
})

/** Removes a custom discount of an item. */
export const deleteCustomDiscountOfItem = action({
  name: 'delete-custom-discount-of-item',
  route: 'DELETE /v2/carts/:cart_id/items/:item_id/custom-discounts/:discount_id',
  about: 'Removes a custom discount of an item.',
  area,
  status: 204,
  queuesBy: 'cart_id',
  shows: { body: null },
  run: (ctx, { params }) => removeFrom(ctx, params.cart_id, ofItem(params.item_id), params.discount_id),
})

/** Removes all custom discounts of a cart. */
export const deleteCustomDiscounts = action({
  name: 'delete-custom-discounts',
  route: 'DELETE /v2/carts/:cart_id/custom-discounts',
  about: 'Removes all custom discounts of a cart itself. Those of its items stay.',
  area,
  status: 204,
  queuesBy: 'cart_id',
  shows: { body: null },
  async run(ctx, { params }) {
    await changeCart(ctx, params.cart_id, { apply: (contents) => ofCart.set(contents, []) })
    return noContent
  },
})

const amountOf = (amount: DiscountValues['amount']) => (typeof amount === 'object' ? amount.amount : amount)

const newDiscount = (values: DiscountValues, addedAt: string): CustomDiscount => ({
  id: newId(),
  addedAt,
  amount: amountOf(values.amount) ?? 0,
  description: values.description,
  code: values.discount_code,
  engine: values.discount_engine,
  externalId: values.external_id,
})

interface Occasion {
  readonly cart: CartValues
  readonly shop: CartShop
  readonly source: string
}

function withDiscount(contents: Contents, holder: Holder, discount: CustomDiscount, on: Occasion): Contents {
  const { cart, shop, source } = on
  const before = holder.of(contents, source)
  if (!cart.discount_settings?.custom_discounts_enabled) {
    const detail =
      'Custom discounts are not enabled for this cart: set discount_settings.custom_discounts_enabled to true.'
    throw new Problem('bad_request', detail, { source })
  }
  const refuse = (detail: string, extras: ProblemExtras = { title }) =>
    new Problem('unprocessable', detail, { ...extras, source })
  if (!contents.lines.length) throw refuse('An empty cart takes no custom discount. Add an item first.')
  if (shop.method === 'simple') {
    throw refuse(
      'Custom discounts need the calculation method line: the store’s setting calculation_method must be line, not simple.',
    )
  }
  if (before.length >= discountsMax) {
    throw refuse(`A cart, and each of its items, has at most ${discountsMax} custom discounts.`, holder.limit)
  }
  return holder.set(contents, [...before, discount])
}

const update = (ctx: Ctx, cart: string, holder: Holder, id: string, values: DiscountValues): Promise<Cart> =>
  changeCart(ctx, cart, {
    apply: (contents) => {
      const discounts = holder.of(contents)
      const before = discounts.find((one) => one.id === id)
      if (!before) throw notFound('custom discount', id)
      const changed = {
        ...before,
        amount: amountOf(values.amount) ?? before.amount,
        description: values.description ?? before.description,
        code: values.discount_code ?? before.code,
        engine: values.discount_engine ?? before.engine,
        externalId: values.external_id ?? before.externalId,
      }
      return holder.set(
        contents,
        discounts.map((one) => (one.id === id ? changed : one)),
      )
    },
  })

async function removeFrom(ctx: Ctx, cart: string, holder: Holder, id: string) {
  await changeCart(ctx, cart, {
    apply: (contents) => {
      const discounts = holder.of(contents)
      if (!discounts.some((one) => one.id === id)) throw notFound('custom discount', id)
      return holder.set(
        contents,
        discounts.filter((one) => one.id !== id),
      )
    },
  })
  return noContent
}

function shown({ inside: { contents, priced } }: Cart, holder: Holder, id: string, itemId?: string) {
  const discount = holder.of(contents).find((one) => one.id === id)
  if (!discount) throw new Error('the discount has just been written')
  return showCustomDiscount(
    discount,
    priced.currency,
    itemId === undefined ? undefined : lineOf(contents, itemId),
  )
}
