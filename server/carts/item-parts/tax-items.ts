import { notFound } from '../../kernel/errors.ts'
import type { PartChange, PlaceOfParts } from '../../kernel/thing/holder.ts'
import { parts } from '../../kernel/thing/parts.ts'
import { type Contents, componentIdsOf, type ProductLine, type TaxItem } from '../contents/contents.ts'
import { showTaxItem, taxItem } from '../shown/included.ts'
import { cart } from './cart.ts'
import { lineOf, withLine } from './line-of.ts'
import { checkedTax, type TaxValues, taxesMax, taxFields, taxRules } from './tax-values.ts'

const most = (noun: string) => ({
  n: taxesMax,
  detail: (n: number) => `${noun} has at most ${n} tax items.`,
  extras: ({ item_id }: { readonly item_id: string }) => ({
    title: 'Tax item not added to cart item.',
    meta: { id: item_id },
  }),
})

const taxes = {
  of: cart,
  id: 'tax_id',
  area: 'cart-taxes',
  body: { type: 'tax_item', fields: taxFields, rules: taxRules },
  missing: (id: string) => notFound('tax item', id),
  make: (values: TaxValues, { id, source }: PartChange) => checkedTax({ id, ...values }, source),
  change: (tax: TaxItem, values: Partial<TaxValues>, { source }: PartChange) =>
    checkedTax({ ...tax, ...values }, source),
  shows: taxItem,
  show: showTaxItem,
} as const

/** The tax items of an item. */
export const taxItems = parts({
  ...taxes,
  at: '/v2/carts/:cart_id/items/:item_id/taxes',
  in: ({ item_id: id }): PlaceOfParts<Contents, TaxItem> => ({
    of: (contents, source) => lineOf(contents, id, source).taxes,
    set: (contents, taxes) => withLine(contents, id, { taxes }),
  }),
  most: most('An item of a cart'),
  operations: {
    create: { name: 'add-tax-item', about: 'Adds a tax item to an item of a cart.' },
    update: {
      name: 'update-tax-item',
      about: 'Changes a tax item. To change from a rate to an amount, or back, send the other as null.',
    },
    delete: { name: 'delete-tax-item', about: 'Removes a tax item.' },
  },
})

/** The tax items of a component of a bundle. */
export const componentTaxes = parts({
  ...taxes,
  at: '/v2/carts/:cart_id/items/:item_id/components/:product_id/taxes',
  in: ({ item_id, product_id }) => ofComponent(item_id, product_id),
  most: most('A component of a bundle'),
  operations: {
    create: {
      name: 'add-tax-item-to-component',
      about:
        'Adds a tax item to a component of a bundle. The tax is calculated from the own price of the component, and joins the tax of the item.',
    },
    update: {
      name: 'update-tax-item-of-component',
      about:
        'Changes a tax item of a component of a bundle. To change from a rate to an amount, or back, send the other as null.',
    },
    delete: {
      name: 'delete-tax-item-of-component',
      about: 'Removes a tax item of a component of a bundle.',
    },
  },
})

function ofComponent(itemId: string, productId: string): PlaceOfParts<Contents, TaxItem> {
  const id = productId.toLowerCase()
  const bundleOf = (contents: Contents, source?: string): ProductLine => {
    const line = lineOf(contents, itemId, source)
    if (line.kind === 'cart_item' && componentIdsOf(line).includes(id)) return line
    throw notFound('component', productId, { ...(source && { source }) })
  }
  return {
    of: (contents, source) => bundleOf(contents, source).componentTaxes?.[id] ?? [],
    set: (contents, taxes) => {
      const { [id]: _, ...others } = bundleOf(contents).componentTaxes ?? {}
      return withLine(contents, itemId, {
        componentTaxes: taxes.length ? { ...others, [id]: taxes } : others,
      })
    },
  }
}
