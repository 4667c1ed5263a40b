import {
  type CartRow,
  type Contents,
  changeCart,
  contentsOf,
  showTaxItem,
  type TaxItem,
  taxItemSchema,
} from '../carts/index.ts'
import { action } from '../kernel/declare/action.ts'
import { notFound, Problem } from '../kernel/errors.ts'
import { withErrors } from '../kernel/http/problems.ts'
import { newId } from '../kernel/ids.ts'
import { listOf } from '../kernel/openapi/shapes.ts'
import { json, noContent } from '../kernel/shape/answer.ts'
import { choice, group, integer, list, number, type Shown, text } from '../kernel/shape/fields.ts'
import { lineOf, withLine } from './line-of.ts'
import { allOrNothing } from './request.ts'

/** The tax items of one item. */
const taxesMax = 5

const taxFields = {
  code: text({ max: 255, about: 'The code of the tax.', example: 'VAT' }),
  name: text({ max: 255, about: 'The name of the tax.', example: 'Value added tax' }),
  jurisdiction: text({ max: 255, about: 'Where the tax is levied.', example: 'PT' }),
  rate: number({
    nullable: true,
    min: 0,
    max: 100,
    about: 'The rate as a fraction: 0.085 is 8.5 %. Send this or `amount`.',
    example: 0.23,
  }),
  amount: integer({
    nullable: true,
    min: 0,
    about: 'The tax of all pieces of the item, in the smallest unit of the currency. Send this or `rate`.',
  }),
}

type TaxValues = Shown<typeof taxFields>

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
  async run(ctx, { params, body }) {
    const id = newId()
    const row = await changeCart(ctx, params.cart_id, {
      apply: (contents) => withTax(contents, params.item_id, { id, ...body }, 'data'),
    })
    return json(201, { data: taxIn(row, params.item_id, id) })
  },
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
            const next = withTax(sofar, itemId, { id, ...values }, `data.${i}`)
            added.push([itemId, id])
            return next
          } catch (problem) {
            if (isAll || !(problem instanceof Problem)) throw problem
            refused.push(problem)
            return sofar
          }
        }, contents),
    })
    const answer = json(201, { data: added.map(([itemId, id]) => taxIn(row, itemId, id)) })
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
  async run(ctx, { params, body }) {
    const { item_id: itemId, tax_id: id } = params
    const row = await changeCart(ctx, params.cart_id, {
      apply: (contents) => {
        const { taxes } = lineOf(contents, itemId)
        const before = taxes.find((tax) => tax.id === id)
        if (!before) throw notFound('tax item', id)
        const tax = checkedTax({ ...before, ...body }, 'data')
        return withLine(contents, itemId, { taxes: taxes.map((one) => (one.id === id ? tax : one)) })
      },
    })
    return json(200, { data: taxIn(row, itemId, id) })
  },
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
  async run(ctx, { params }) {
    const { item_id: itemId, tax_id: id } = params
    await changeCart(ctx, params.cart_id, {
      apply: (contents) => {
        const { taxes } = lineOf(contents, itemId)
        if (!taxes.some((tax) => tax.id === id)) throw notFound('tax item', id)
        return withLine(contents, itemId, { taxes: taxes.filter((tax) => tax.id !== id) })
      },
    })
    return noContent
  },
})

/** Removes all tax items of a cart. */
export const deleteTaxItems = action({
  name: 'delete-tax-items',
  route: 'DELETE /v2/carts/:cart_id/taxes',
  about: 'Removes all tax items of all items of a cart.',
  area,
  status: 204,
  queuesBy: 'cart_id',
  shows: { body: null },
  async run(ctx, { params }) {
    await changeCart(ctx, params.cart_id, {
      apply: (contents) => ({
        ...contents,
        lines: contents.lines.map((line) => ({ ...line, taxes: [] })),
      }),
    })
    return noContent
  },
})

function withTax(
  contents: Contents,
  itemId: string,
  tax: TaxValues & { readonly id: string },
  source: string,
) {
  const { taxes } = lineOf(contents, itemId, source)
  if (taxes.length >= taxesMax) {
    throw new Problem('unprocessable', `An item of a cart has at most ${taxesMax} tax items.`, {
      title: 'Tax item not added to cart item.',
      source,
    })
  }
  return withLine(contents, itemId, { taxes: [...taxes, checkedTax(tax, source)] })
}

type Sent = { readonly [K in keyof TaxItem]: TaxItem[K] | null }

/** A tax item has a rate or an amount. */
function checkedTax({ id, code, name, jurisdiction, rate, amount }: Sent, source: string): TaxItem {
  const both = { rate: rate ?? undefined, amount: amount ?? undefined }
  if ((both.rate === undefined) === (both.amount === undefined)) {
    const detail = 'A tax item has a rate or an amount, not both: send one of the two, and the other as null.'
    throw new Problem('unprocessable', detail, { source: `${source}.rate` })
  }
  return {
    id: id as string,
    code: code ?? undefined,
    name: name ?? undefined,
    jurisdiction: jurisdiction ?? undefined,
    ...both,
  }
}

const taxIn = (row: CartRow, itemId: string, id: string) =>
  showTaxItem(lineOf(contentsOf(row), itemId).taxes.find((tax) => tax.id === id) as TaxItem)
