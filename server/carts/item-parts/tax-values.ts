import { Problem } from '../../kernel/errors.ts'
import { integer, number, type ShownValues, text } from '../../kernel/shape/fields.ts'
import type { TaxItem } from '../contents/contents.ts'

/** The tax items of one item or component. */
export const taxesMax = 5

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

/** A tax item as a request has it: null is no value. */
type TaxItemInput = { readonly id: string } & {
  readonly [K in keyof TaxValues]?: TaxValues[K] | undefined
}

/** A tax item has a rate or an amount. */
export function checkedTax(
  { id, code, name, jurisdiction, rate, amount }: TaxItemInput,
  source: string,
): TaxItem {
  const labels = {
    id,
    code: code ?? undefined,
    name: name ?? undefined,
    jurisdiction: jurisdiction ?? undefined,
  }
  if (amount == null && rate != null) return { ...labels, rate }
  if (rate == null && amount != null) return { ...labels, amount }
  const detail = 'A tax item has a rate or an amount, not both: send one of the two, and the other as null.'
  throw new Problem('unprocessable', detail, { source: `${source}.rate` })
}
