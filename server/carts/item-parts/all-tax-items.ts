import { notFound, Problem } from '../../kernel/errors.ts'
import { choice, group, list, text } from '../../kernel/shape/fields.ts'
import { optional, shown } from '../../kernel/shape/shown.ts'
import { severalParts } from '../../kernel/thing/several-parts.ts'
import type { Contents } from '../contents/contents.ts'
import { itemRelationship, taxItemFields } from '../shown/included.ts'
import { cart } from './cart.ts'
import { type ItemLink, itemLinkFields, showItemLink } from './item-link.ts'
import { hasTaxes, lineOf, withoutTaxes } from './line-of.ts'
import { componentTaxes, taxItems } from './tax-items.ts'
import { type TaxValues, taxFields } from './tax-values.ts'

const newTaxItems = list(
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
)

/** A tax item of a list says what it was added to. */
const addedTax = shown.group({
  ...taxItemFields,
  relationships: itemRelationship,
  meta: optional(shown.group({ component_product_id: shown.text })),
})

/** The tax items of all items of a cart, and of their components. */
export const allTaxItems = severalParts({
  of: cart,
  at: '/v2/carts/:cart_id/taxes',
  area: 'cart-taxes',
  create: {
    name: 'add-tax-items',
    about:
      'Adds tax items to several items of a cart. Those that cannot be added are listed in `errors` beside those that can; if none can, or with `options.add_all_or_nothing`, the request is refused.',
    body: { data: newTaxItems },
    shows: shown.list(addedTax),
    into: ({ relationships, meta }: ItemTax, contents, source) => {
      const { data: item } = relationships.item
      mustBeOfType(contents, item, source)
      const item_id = item.id
      const product_id = meta?.component_product_id
      const taxes = product_id ? componentTaxes.at({ item_id, product_id }) : taxItems.at({ item_id })
      return {
        ...taxes,
        show: (row, id) => ({
          ...taxes.show(row, id),
          relationships: showItemLink(row.inside.contents, item_id),
          ...(product_id && { meta }),
        }),
      }
    },
    refusal: addedNothing,
  },
  delete: {
    name: 'delete-tax-items',
    about:
      'Removes all tax items of all items of a cart, and of the components of bundles. A cart without tax items is a 404.',
    clear: (contents, cartId) => {
      if (contents.lines.some(hasTaxes)) return { ...contents, lines: contents.lines.map(withoutTaxes) }
      throw notFound('tax items of cart', cartId, { title: 'Resource Not Found' })
    },
  },
})

/** Where all or nothing is added, the public contract has one refusal for every reason. */
function addedNothing({ detail, source, meta }: Problem): Problem {
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
