import { type Item, valueAt } from '../../api/objects.ts'
import { amountOf, listIn } from './order.ts'

/** What an order is made of. */
export interface Contents {
  readonly items: readonly Item[]
  readonly taxes: readonly Item[]
  readonly customDiscounts: readonly Item[]
  readonly promotions: readonly Item[]
}

/** An amount with what people call it. */
export interface NamedAmount {
  readonly id: string
  readonly name: string
  readonly amount: number
}

/** A thing that was ordered. */
export interface Line {
  readonly id: string
  readonly name: string
  readonly sku: string
  readonly productId: string | undefined
  readonly quantity: number
  readonly unit: number
  /** Before discounts and taxes that are not in the price. */
  readonly value: number
  readonly discounts: readonly NamedAmount[]
  readonly taxes: readonly NamedAmount[]
  readonly includesTax: boolean
  readonly total: number
  readonly groupId: string | undefined
}

const numberAt = (item: unknown, path: string) => Number(valueAt(item, path) ?? 0)
const textAt = (item: unknown, path: string) => String(valueAt(item, path) ?? '')
const optionalAt = (item: unknown, path: string) => textAt(item, path) || undefined

/** What a promotion takes off the order is an item of it, too. */
const isDiscount = (item: Item) => item.type === 'promotion_item' || numberAt(item, 'value.amount') < 0

/** What the discounts of an order are called: by the promotion, by the discount of another engine, or by the code. */
function discountName({ items, customDiscounts, promotions }: Contents, id: string, code: string): string {
  const item = items.find((one) => isDiscount(one) && (one.code === code || one.product_id === id))
  const custom = customDiscounts.find((one) => one.id === id)
  const promotion = promotions.find((one) => one.id === id)
  const names = [item?.name, promotion?.name, custom?.description, custom?.discount_code, code]
  return String(names.find((name) => typeof name === 'string' && name !== '') ?? id)
}

export const linesOf = (contents: Contents): readonly Line[] =>
  contents.items
    .filter((item) => !isDiscount(item))
    .map((item) => ({
      ...{ id: textAt(item, 'id'), name: textAt(item, 'name'), sku: textAt(item, 'sku') },
      ...{ productId: optionalAt(item, 'product_id'), groupId: optionalAt(item, 'shipping_group_id') },
      quantity: numberAt(item, 'quantity'),
      unit: numberAt(item, 'unit_price.amount'),
      value: numberAt(item, 'value.amount'),
      discounts: listIn(item, 'discounts').map((one) => ({
        id: textAt(one, 'id'),
        name: discountName(contents, textAt(one, 'id'), textAt(one, 'code')),
        amount: numberAt(one, 'amount.amount'),
      })),
      taxes: taxesOf(item, contents),
      includesTax: valueAt(item, 'unit_price.includes_tax') === true,
      total: numberAt(item, 'meta.display_price.with_tax.value.amount'),
    }))

function taxesOf(item: Item, { taxes }: Contents): readonly NamedAmount[] {
  const amount = numberAt(item, 'meta.display_price.tax.value.amount')
  if (amount === 0) return []
  const ids = listIn(item, 'relationships.taxes.data').map(({ id }) => id)
  const own = taxes.filter(({ id }) => ids.includes(id))
  const name = own.map((one) => textAt(one, 'name') || textAt(one, 'jurisdiction')).filter(Boolean)
  return [{ id: textAt(item, 'id'), name: name.join(', '), amount }]
}

export type StepKind =
  | 'lines'
  | 'shipping'
  | 'discount'
  | 'otherDiscounts'
  | 'shippingDiscount'
  | 'tax'
  | 'includedTax'
  | 'outerTax'
  | 'other'
  | 'total'

/** A step from the prices of the lines to the total. An included tax adds nothing. */
export interface Step extends NamedAmount {
  readonly kind: StepKind
}

const step = (kind: StepKind, amount: number, name = ''): Step => ({ id: kind, kind, amount, name })

/** How the total of an order comes about. The amounts before the total add up to it; what nothing explains says so. */
export function stepsOf(order: Item, contents: Contents): readonly Step[] {
  const amount = (name: Parameters<typeof amountOf>[1]) => amountOf(order, name)
  const named = namedDiscounts(contents)
  const other = amount('discount') - named.reduce((sum, one) => sum + one.amount, 0)
  const before = [
    step('lines', amount('without_discount') - amount('shipping')),
    ...(amount('shipping') ? [step('shipping', amount('shipping'))] : []),
    ...named.map((one): Step => ({ ...one, kind: 'discount' })),
    ...(other ? [step('otherDiscounts', other)] : []),
    ...(amount('shipping_discount') ? [step('shippingDiscount', amount('shipping_discount'))] : []),
  ]
  const rest = amount('with_tax') - before.reduce((sum, one) => sum + one.amount, 0)
  return [...before, ...restSteps(rest, amount('tax')), step('total', amount('with_tax'))]
}

function restSteps(rest: number, tax: number): readonly Step[] {
  if (rest === 0) return tax ? [step('includedTax', tax)] : []
  if (rest === tax) return [step('tax', tax)]
  return [step(rest > 0 && rest < tax ? 'outerTax' : 'other', rest)]
}

/** The discounts by name: those of the lines, and those of the whole order that no line has. */
function namedDiscounts(contents: Contents): readonly NamedAmount[] {
  const ofLines = linesOf(contents).flatMap(({ discounts }) => discounts)
  const codes = new Set(
    contents.items.flatMap((item) => listIn(item, 'discounts').flatMap(({ id, code }) => [id, code])),
  )
  const ofOrder = contents.items
    .filter((item) => isDiscount(item) && !codes.has(item.code) && !codes.has(item.product_id))
    .map((item) => ({
      id: textAt(item, 'id'),
      name: textAt(item, 'name'),
      amount: numberAt(item, 'value.amount'),
    }))
  return [...Map.groupBy([...ofLines, ...ofOrder], ({ id }) => id)].map(([id, some]) => ({
    id,
    name: some[0]?.name ?? '',
    amount: some.reduce((sum, one) => sum + one.amount, 0),
  }))
}
