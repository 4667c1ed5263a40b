import { notFound, Problem } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { type Answer, json, noContent } from '../../kernel/shape/answer.ts'
import { integer, number, type ShownValues, text } from '../../kernel/shape/fields.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { changeCart } from '../cart/change-cart.ts'
import type { Cart } from '../contents/cart-fields.ts'
import { type Contents, componentIdsOf, type ProductLine, type TaxItem } from '../contents/contents.ts'
import { showTaxItem } from '../shown/included.ts'
import { lineOf, withLine } from './line-of.ts'

export const taxFields = {
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

/** A tax item has a rate or an amount: see `checkedTax`. */
export const taxRules = {
  oneOf: [
    { required: ['rate'], properties: { rate: { type: 'number' } } },
    { required: ['amount'], properties: { amount: { type: 'integer' } } },
  ],
}

export type TaxValues = ShownValues<typeof taxFields>

/** The tax items of an item, or of a component of a bundle. */
export interface TaxHolder {
  readonly noun: string
  readonly itemId: string
  readonly of: (contents: Contents, source?: string) => readonly TaxItem[]
  readonly set: (contents: Contents, taxes: readonly TaxItem[]) => Contents
}

export const ofItem = (id: string): TaxHolder => ({
  noun: 'An item of a cart',
  itemId: id,
  of: (contents, source) => lineOf(contents, id, source).taxes,
  set: (contents, taxes) => withLine(contents, id, { taxes }),
})

export const ofComponent = (itemId: string, productId: string): TaxHolder => {
  const id = productId.toLowerCase()
  const bundleOf = (contents: Contents, source?: string): ProductLine => {
    const line = lineOf(contents, itemId, source)
    if (line.kind === 'cart_item' && componentIdsOf(line).includes(id)) return line
    throw notFound('component', productId, { ...(source && { source }) })
  }
  return {
    noun: 'A component of a bundle',
    itemId,
    of: (contents, source) => bundleOf(contents, source).componentTaxes?.[id] ?? [],
    set: (contents, taxes) => {
      const { [id]: _, ...others } = bundleOf(contents).componentTaxes ?? {}
      return withLine(contents, itemId, {
        componentTaxes: taxes.length ? { ...others, [id]: taxes } : others,
      })
    },
  }
}

/** The tax items of one item or component. */
export const taxesMax = 5

/** The contents with one more tax item, or a Problem. */
export function withTax(
  contents: Contents,
  holder: TaxHolder,
  tax: TaxValues & { readonly id: string },
  source: string,
): Contents {
  const taxes = holder.of(contents, source)
  if (taxes.length >= taxesMax) {
    throw new Problem('unprocessable', `${holder.noun} has at most ${taxesMax} tax items.`, {
      title: 'Tax item not added to cart item.',
      source,
      meta: { id: holder.itemId },
    })
  }
  return holder.set(contents, [...taxes, checkedTax(tax, source)])
}

/** Adds one tax item. */
export async function addTax(
  ctx: Ctx,
  cartId: string,
  holder: TaxHolder,
  values: TaxValues,
): Promise<Answer> {
  const id = newId()
  const row = await changeCart(ctx, cartId, {
    apply: (contents) => withTax(contents, holder, { id, ...values }, 'data'),
  })
  return json(201, { data: taxIn(row, holder, id) })
}

/** Changes one tax item. */
export async function updateTax(
  ctx: Ctx,
  cartId: string,
  holder: TaxHolder,
  id: string,
  values: TaxValues,
): Promise<Answer> {
  const row = await changeCart(ctx, cartId, {
    apply: (contents) => {
      const taxes = holder.of(contents)
      const before = taxes.find((tax) => tax.id === id)
      if (!before) throw notFound('tax item', id)
      const tax = checkedTax({ ...before, ...values }, 'data')
      return holder.set(
        contents,
        taxes.map((one) => (one.id === id ? tax : one)),
      )
    },
  })
  return json(200, { data: taxIn(row, holder, id) })
}

/** Removes one tax item. */
export async function removeTax(ctx: Ctx, cartId: string, holder: TaxHolder, id: string): Promise<Answer> {
  await changeCart(ctx, cartId, {
    apply: (contents) => {
      const taxes = holder.of(contents)
      if (!taxes.some((tax) => tax.id === id)) throw notFound('tax item', id)
      return holder.set(
        contents,
        taxes.filter((tax) => tax.id !== id),
      )
    },
  })
  return noContent
}

/** A tax item as a request has it: null is no value. */
type TaxItemInput = { readonly [K in keyof TaxItem]: TaxItem[K] | null }

/** A tax item has a rate or an amount. */
export function checkedTax(
  { id, code, name, jurisdiction, rate, amount }: TaxItemInput,
  source: string,
): TaxItem {
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

export const taxIn = (row: Cart, holder: TaxHolder, id: string) =>
  showTaxItem(holder.of(row.inside.contents).find((tax) => tax.id === id) as TaxItem)
