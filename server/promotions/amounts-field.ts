import { field } from '../kernel/shape/fields.ts'

export interface CurrencyAmount {
  readonly currency: string
  readonly amount: number
}

export const currencyCode = { type: 'string', minLength: 1, maxLength: 20 } as const

const amount = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const

export const currencyAmount = {
  required: ['currency', 'amount'],
  properties: { currency: currencyCode, amount },
} as const

/** An amount in each of some currencies. A client may send a single one without a list. */
export const amountsField = (about: string) =>
  field<readonly CurrencyAmount[] | CurrencyAmount | undefined>(
    // `items` is for a list, and the rest for a single one.
    {
      type: ['array', 'object'],
      maxItems: 100,
      items: { type: 'object', ...currencyAmount },
      ...currencyAmount,
    },
    { about, example: [{ currency: 'USD', amount: 5000 }] },
  )
