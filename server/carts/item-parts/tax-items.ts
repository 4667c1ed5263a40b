import { action } from '../../kernel/declare/action.ts'
import { notFound, Problem } from '../../kernel/errors.ts'
import { withErrors } from '../../kernel/http/problems.ts'
import { newId } from '../../kernel/ids.ts'
import { listOf, object } from '../../kernel/openapi/shapes.ts'
import { json, noContent } from '../../kernel/shape/answer.ts'
import { choice, group, list, text } from '../../kernel/shape/fields.ts'
import { changeCart } from '../cart/change-cart.ts'
import type { Contents } from '../contents/contents.ts'
import { taxItemMembers, taxItemSchema } from '../shown/included.ts'
import { applyEach } from './apply-each.ts'
import { type ItemLink, itemLinkFields, itemLinkSchema, showItemLink } from './item-link.ts'
import { hasTaxes, lineOf, withoutTaxes } from './line-of.ts'
import { allOrNothing } from './request.ts'
import {
  addTax,
  ofComponent,
  ofItem,
  removeTax,
  type TaxHolder,
  type TaxValues,
  taxFields,
  taxIn,
  taxRules,
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
  body: { type: 'tax_item', fields: taxFields, rules: taxRules },
  shows: { data: taxItemSchema },
  run: (ctx, { params, body }) => addTax(ctx, params.cart_id, ofItem(params.item_id), body),
})

/** A tax item of a list says what it was added to. */
const addedTaxSchema = object(
  {
    ...taxItemMembers,
    relationships: itemLinkSchema,
    meta: object({ component_product_id: { type: 'string' } }),
  },
  ['type', 'id', 'relationships'],
)

/** Adds tax items to several items. */
export const addTaxItems = action({
  name: 'add-tax-items',
  route: 'POST /v2/carts/:cart_id/taxes',
  about:
    'Adds tax items to several items of a cart. Those that cannot be added are listed in `errors` beside those that can; if none can, or with `options.add_all_or_nothing`, the request is refused.',
  area,
  status: 201,
  queuesBy: 'cart_id',
  data: list(
    group(
      {
        type: choice(['tax_item'], { required: true }),
        ...taxFields,
        meta: group(
          {
            component_product_id: text({
              max: 36,
              about: 'The product of the component that is taxed, in place of the item itself. Bundles only.',
            }),
          },
          {},
        ),
        relationships: group(itemLinkFields, {
          required: true,
          about: 'The item that is taxed. Another `type` than its own is refused.',
        }),
      },
      {},
    ),
    { required: true, maxItems: 500, about: 'The tax items, each with its item.' },
  ),
  shows: { data: listOf(addedTaxSchema), errors: true },
  async run(ctx, { params, data, rawBody }) {
    const isAllOrNothing = allOrNothing(rawBody, 'add_all_or_nothing', false)
    const refused: Problem[] = []
    const added: (readonly [id: string, one: ItemTax])[] = []
    const row = await changeCart(ctx, params.cart_id, {
      apply: (contents) =>
        applyEach(contents, data as readonly ItemTax[], { isAllOrNothing, refused }, (sofar, one, i) => {
          const { relationships, meta, ...values } = one
          const id = newId()
          mustBeOfType(sofar, relationships.item.data, `data.${i}`)
          const holder = holderOf(relationships.item.data, meta?.component_product_id)
          const next = withTax(sofar, holder, { id, ...values }, `data.${i}`)
          added.push([id, one])
          return next
        }).catch((problem) => {
          throw isAllOrNothing ? addedNothing(problem) : problem
        }),
    })
    const items = added.map(([id, { relationships, meta }]) => {
      const { data: item } = relationships.item
      return {
        ...taxIn(row, holderOf(item, meta?.component_product_id), id),
        relationships: showItemLink(row.inside.contents, item.id),
        ...(meta?.component_product_id && { meta }),
      }
    })
    return withErrors(json(201, { data: items }), refused)
  },
})

/** Where all or nothing is added, the public contract has one refusal for every reason. */
function addedNothing(problem: unknown): unknown {
  if (!(problem instanceof Problem)) return problem
  const { detail, source, meta } = problem
  return new Problem('unprocessable', `No tax item was added. ${detail}`, {
    title: 'Add all or nothing.',
    ...(source !== undefined && { source }),
    ...(meta && { meta }),
  })
}

/** A tax item of one of several items. */
interface ItemTax extends TaxValues {
  readonly meta?: { readonly component_product_id?: string | undefined } | undefined
  readonly relationships: { readonly item: { readonly data: ItemLink } }
}

const holderOf = ({ id }: ItemLink, productId: string | undefined): TaxHolder =>
  productId ? ofComponent(id, productId) : ofItem(id)

function mustBeOfType(contents: Contents, { id, type }: ItemLink, source: string): void {
  const { kind } = lineOf(contents, id, source)
  if (type === undefined || type === kind) return
  const at = `${source}.relationships.item.data.type`
  throw new Problem('not_found', `${at} must be ${kind}, the type of the item, or be left out.`, {
    title: 'Tax item not added to cart item.',
    source: at,
    meta: { id },
  })
}

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
  about:
    'Removes all tax items of all items of a cart, and of the components of bundles. A cart without tax items is a 404.',
  area,
  status: 204,
  queuesBy: 'cart_id',
  shows: { body: null },
  async run(ctx, { params }) {
    await changeCart(ctx, params.cart_id, {
      apply: (contents) => {
        if (!contents.lines.some(hasTaxes)) {
          throw notFound('tax items of cart', params.cart_id, { title: 'Resource Not Found' })
        }
        return { ...contents, lines: contents.lines.map(withoutTaxes) }
      },
    })
    return noContent
  },
})
