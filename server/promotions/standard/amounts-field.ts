import { field } from '../../kernel/shape/fields.ts'
import type { CurrencyAmount } from '../discounts/standard/standard-document.ts'

/** The code of a currency of the store. */
export const currencyCode = { type: 'string', pattern: '^[A-Z]{3}$' } as const

/** In the smallest unit of the currency. */
export const promotionAmount = { type: 'integer', minimum: 0, maximum: 1_000_000_000_000 } as const

const currencyAmount = {
  required: ['currency', 'amount'],
  properties: { currency: currencyCode, amount: promotionAmount },
} as const

/** An amount in each of some currencies. A client may send a single one without a list. */
export const amountsField = (about: string) =>
  field<readonly CurrencyAmount[] | CurrencyAmount | null | undefined>(
    {
      ...{ type: ['array', 'object'], maxItems: 50, items: { type: 'object', ...currencyAmount } },
      ...currencyAmount,
    },
    { nullable: true, about, example: [{ currency: 'USD', amount: 5000 }] },
  )
