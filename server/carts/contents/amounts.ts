import { integer, text } from '../../kernel/shape/fields.ts'

/** An amount as carts and orders show it. */
export const amountFields = {
  amount: integer({ required: true, about: 'The amount in the smallest unit of the currency.' }),
  currency: text({ required: true, about: 'The code of the currency.' }),
  formatted: text({ required: true, about: 'The amount in the format of the currency.' }),
}
