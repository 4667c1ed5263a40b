import { field } from '../../kernel/shape/fields.ts'
import type { ByKey, StoredCurrencies, StoredSale } from './stored-prices.ts'

/** The largest amount. Sums of such amounts are still exact. */
const amountMax = 1_000_000_000_000

const names = { type: 'string', minLength: 1, maxLength: 255 } as const
const closed = { type: 'object', additionalProperties: false } as const
const amount = { type: 'integer', minimum: 0, maximum: amountMax } as const
const time = { type: ['string', 'null'], format: 'day', maxLength: 64 } as const

// The public contract's own schema of schedules misspells the first member.
const schedule = { valid_from: time, valid_form: time, valid_to: time } as const

const tier = {
  ...closed,
  required: ['minimum_quantity', 'amount'],
  properties: {
    minimum_quantity: {
      ...{ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      description: 'The quantity from which this unit price applies.',
    },
    amount,
  },
} as const

export const currencies = {
  type: 'object',
  minProperties: 1,
  maxProperties: 10,
  propertyNames: { type: 'string', pattern: '^[A-Z]{3}$' },
  additionalProperties: {
    ...closed,
    required: ['amount'],
    properties: {
      amount: { ...amount, description: 'In the smallest unit of the currency.' },
      includes_tax: { type: 'boolean', default: false },
      tiers: { type: 'object', maxProperties: 100, propertyNames: names, additionalProperties: tier },
    },
  },
} as const

const sale = {
  ...closed,
  properties: {
    bundle_ids: {
      ...{ type: 'array', maxItems: 1000, items: { type: 'string', format: 'uuid' } },
      description: 'The sale applies only where the product is an option of one of these bundles.',
    },
    schedule: {
      ...{ ...closed, type: ['object', 'null'], properties: schedule },
      description:
        'The sale is in force from `valid_from` until just before `valid_to`. Times without an offset are UTC. A sale without ' +
        'a schedule is always in force. `valid_form` is read as `valid_from`.',
    },
    currencies: { ...currencies, minProperties: 0 },
  },
} as const

const sales = {
  type: 'object',
  maxProperties: 100,
  propertyNames: names,
  additionalProperties: sale,
} as const

const words = {
  type: 'object',
  maxProperties: 100,
  propertyNames: names,
  additionalProperties: { type: ['string', 'null'], maxLength: 65_535 },
} as const

const replaced = 'An update replaces all of them.'
const example = { USD: { amount: 2000, includes_tax: false } }

export const currenciesField = (about: string) =>
  field<StoredCurrencies>(currencies, { required: true, about: `${about} ${replaced}`, example })

export const salesField = field<ByKey<StoredSale> | undefined>(sales, {
  about: `Amounts that apply for a time, by the name of the sale. If several sales are in force, the shortest applies. ${replaced}`,
})

export const wordsField = (about: string) =>
  field<ByKey<string | null> | undefined>(words, { about: `${about} ${replaced}` })
