import { changeCart, taxItemSchema } from '../carts/index.ts'
import { action } from '../kernel/declare/action.ts'
import { Problem } from '../kernel/errors.ts'
import { withErrors } from '../kernel/http/problems.ts'
import { newId } from '../kernel/ids.ts'
import { listOf } from '../kernel/openapi/shapes.ts'
import { json, noContent } from '../kernel/shape/answer.ts'
import { choice, group, list, text } from '../kernel/shape/fields.ts'
import { withoutTaxes } from './line-of.ts'
import { allOrNothing } from './request.ts'
import {
  addTax,
  ofItem,
  removeTax,
  type TaxValues,
  taxFields,
  taxIn,
  updateTax,
  withTax,
} from './tax-holder.ts'

const area = 'cart-taxes'

/** Adds a tax item to an item. */
export const addTaxItem = action({
  name: 'add-tax-item',
  route: 'POST /v2/carts/:cart_id/items/:item_id/taxes',
  about: 'Adds a tax item to an item of a cart.',
  area,
  status: 201,
  queuesBy: 'cart_id',
  body: { type: 'tax_item', fields: taxFields },
  shows: { data: taxItemSchema },
  run: (ctx, { params, body }) => addTax(ctx, params.cart_id, ofItem(params.item_id), body),
})

/** Adds tax items to several items. */
export const addTaxItems = action({
  name: 'add-tax-items',
  route: 'POST /v2/carts/:cart_id/taxes',
  about:
    'Adds tax items to several items of a cart. Those that cannot be added are listed in `errors`; with `options.add_all_or_nothing`, nothing is added then.',
  area,
  status: 201,
  queuesBy: 'cart_id',
  data: list(
    group(
      {
        type: choice(['tax_item'], { required: true }),
        ...taxFields,
        relationships: group(
          {
            item: group(
              {
                data: group(
                  {
                    id: text({ required: true, max: 36, about: 'The id of the item.' }),
                    type: text({ max: 64 }),
                  },
                  { required: true },
                ),
              },
              { required: true },
            ),
          },
          { required: true, about: 'The item that is taxed.' },
        ),
      },
      {},
    ),
    { required: true, maxItems: 500, about: 'The tax items, each with its item.' },
  ),
  shows: { data: listOf(taxItemSchema), errors: true },
  async run(ctx, { params, data, rawBody }) {
    const isAll = allOrNothing(rawBody, 'add_all_or_nothing', false)
    const refused: Problem[] = []
    const added: (readonly [itemId: string, id: string])[] = []
    type Sent = TaxValues & {
      readonly relationships: { readonly item: { readonly data: { readonly id: string } } }
    }
    const row = await changeCart(ctx, params.cart_id, {
      apply: (contents) =>
        (data as readonly Sent[]).reduce((sofar, { relationships, ...values }, i) => {
          const { id: itemId } = relationships.item.data
          const id = newId()
          try {
            const next = withTax(sofar, ofItem(itemId), { id, ...values }, `data.${i}`)
            added.push([itemId, id])
            return next
          } catch (problem) {
            if (isAll || !(problem instanceof Problem)) throw problem
            refused.push(problem)
            return sofar
          }
        }, contents),
    })
    const answer = json(201, { data: added.map(([itemId, id]) => taxIn(row, ofItem(itemId), id)) })
    return refused.length ? withErrors(answer, refused) : answer
  },
})

/** Changes a tax item. */
export const updateTaxItem = action({
  name: 'update-tax-item',
  route: 'PUT /v2/carts/:cart_id/items/:item_id/taxes/:tax_id',
  about: 'Changes a tax item. To change from a rate to an amount, or back, send the other as null.',
  area,
  status: 200,
  queuesBy: 'cart_id',
  body: { type: 'tax_item', typeOptional: true, fields: taxFields },
  shows: { data: taxItemSchema },
  run: (ctx, { params, body }) => updateTax(ctx, params.cart_id, ofItem(params.item_id), params.tax_id, body),
})

/** Removes a tax item. */
export const deleteTaxItem = action({
  name: 'delete-tax-item',
  route: 'DELETE /v2/carts/:cart_id/items/:item_id/taxes/:tax_id',
  about: 'Removes a tax item.',
  area,
  status: 204,
  queuesBy: 'cart_id',
  shows: { body: null },
  run: (ctx, { params }) => removeTax(ctx, params.cart_id, ofItem(params.item_id), params.tax_id),
})

/** Removes all tax items of a cart. */
export const deleteTaxItems = action({
  name: 'delete-tax-items',
  route: 'DELETE /v2/carts/:cart_id/taxes',
  about: 'Removes all tax items of all items of a cart, and of the components of bundles.',
  area,
  status: 204,
  queuesBy: 'cart_id',
  shows: { body: null },
  async run(ctx, { params }) {
    await changeCart(ctx, params.cart_id, {
      apply: (contents) => ({
        ...contents,
        lines: contents.lines.map(withoutTaxes),
      }),
    })
    return noContent
  },
})
