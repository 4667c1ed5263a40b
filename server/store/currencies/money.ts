import { integer, number, type ShownValues, text } from '../../kernel/shape/fields.ts'

/** A currency, with what it takes to write its amounts. */
export interface Notation {
  readonly code: string
  readonly format: string
  readonly decimal_point: string
  readonly thousand_separator: string
  readonly decimal_places: number
}

export const moneyFields = {
  amount: integer({ required: true, about: 'The amount in the smallest unit of the currency.' }),
  currency: text({ required: true, about: 'The code of the currency.' }),
  float_price: number({ required: true, about: 'The amount in the main unit of the currency.' }),
  formatted: text({ required: true, about: 'The amount in the format of the currency.' }),
}

/** An amount as answers show it. */
export type Money = ShownValues<typeof moneyFields>

/** An amount, in a currency's smallest unit, as answers show it. */
export function money(amount: number, currency: Notation): Money {
  const formatted = formatAmount(amount, currency)
  return { amount, currency: currency.code, float_price: amount / 10 ** currency.decimal_places, formatted }
}

/** Writes an amount in the format of its currency. The sign stands before everything else: `-$12.50`. */
export function formatAmount(amount: number, currency: Notation): string {
  const { code, format, decimal_point, thousand_separator, decimal_places: places } = currency
  if (!Number.isSafeInteger(amount)) throw new Error(`${amount} is not an amount in ${code}`)
  const digits = String(Math.abs(amount)).padStart(places + 1, '0')
  const short = digits.slice(0, digits.length - places)
  const whole = short.length > 3 ? short.replace(/\B(?=(\d{3})+$)/g, () => thousand_separator) : short
  const price = places ? whole + decimal_point + digits.slice(-places) : whole
  // Every {price} of the format, but none inside of the inserted number.
  return (amount < 0 ? '-' : '') + format.split('{price}').join(price)
}
