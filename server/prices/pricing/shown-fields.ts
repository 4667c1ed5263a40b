import { named } from '../../kernel/openapi/named-schemas.ts'
import {
  choice,
  type FieldOptions,
  field,
  flag,
  group,
  integer,
  list,
  map,
  number,
  reference,
  type ShownValues,
  text,
} from '../../kernel/shape/fields.ts'
import { moneyFields } from '../../store/index.ts'
import { currencies as currenciesSchema } from '../pricebooks/currencies-field.ts'
import { type ByKey, modifierTypes, type StoredCurrencies } from '../pricebooks/stored-prices.ts'

/** The prices in answers to shoppers. The API document and the types follow from these fields. */

const amount = group(
  {
    amount: integer({ required: true, about: 'In the smallest unit of the currency.' }),
    includes_tax: flag({ required: true }),
  },
  {},
)

const amountsSchema = named('Amounts', map(amount, {}).schema)
/** By the code of the currency. */
const amounts = <const O extends FieldOptions>(options: O) => ({
  ...map(amount, options),
  schema: amountsSchema,
})

const moneySchema = named('Money', group(moneyFields, {}).schema)
const money = (about: string) => ({ ...group(moneyFields, { about }), schema: moneySchema })

const displayPriceMembers = {
  with_tax: money('The amount including tax.'),
  without_tax: money('The amount excluding tax.'),
}
const displayPriceSchema = named('DisplayPrice', group(displayPriceMembers, {}).schema)
const displayPriceField = (about: string) => ({
  ...group(displayPriceMembers, { about }),
  schema: displayPriceSchema,
})

const displayed = {
  display_price: displayPriceField('The price in the currency of the shopper.'),
  original_price: amounts({ about: 'The price without the sale, by currency.' }),
  original_display_price: displayPriceField('The price without the sale, in the currency of the shopper.'),
}

const sold = {
  sale_id: text({ about: 'The name of the sale.' }),
  sale_expires: text({ format: 'date-time', about: 'When the sale ends.' }),
}

const tier = group({ minimum_quantity: integer({ required: true }), price: amounts({ required: true }) }, {})

/** Texts by keys that the merchant chooses. */
export const words = (about: string) =>
  field<ByKey<string | null> | undefined>(
    { type: 'object', additionalProperties: { type: ['string', 'null'] } },
    { about },
  )

/** The price members among the attributes of a product. */
export const priceAttributes = {
  price: amounts({ about: 'The current price, by currency. A product without a price cannot be bought.' }),
  tiers: map(tier, { about: 'Unit prices for larger quantities, by name.' }),
  price_modifiers: list(text({}), { about: 'Children only: the price modifiers that changed the price.' }),
  shopper_attributes: words('Text from the merchant to shoppers, by key.'),
}

const modifier = group(
  {
    modifier_type: choice(modifierTypes, { required: true }),
    currencies: field<StoredCurrencies>(currenciesSchema, { required: true }),
  },
  {},
)

/** The price members in the `meta` of a product. */
export const priceMeta = {
  pricebook_id: reference('pricebook', { about: 'The price book that has the price.' }),
  ...displayed,
  ...sold,
  tiers: map(group({ ...displayed, ...sold }, {}), { about: 'The display prices of tiers, by name.' }),
  price_modifiers: map(modifier, {
    about: 'Children only: the price modifiers that changed the price, by name.',
  }),
}

const traceFields = {
  at: text({ required: true, format: 'date-time', about: 'The instant of the price.' }),
  pricebooks: list(
    group(
      {
        pricebook_id: reference('pricebook', { required: true }),
        reason: choice(['chosen', 'a stronger price book has a price', 'no price'], { required: true }),
        price: choice(['own', 'parent'], {}),
      },
      {},
    ),
    { required: true, maxItems: Infinity },
  ),
  sales: list(
    group(
      {
        name: text({ required: true }),
        reason: choice(
          [
            'in force',
            'a shorter sale is in force',
            'not begun',
            'over',
            'only in bundles that this is not part of',
            'it has no amounts',
          ],
          { required: true },
        ),
        valid_from: text({ format: 'date-time' }),
        valid_to: text({ format: 'date-time' }),
      },
      {},
    ),
    { required: true },
  ),
  price_modifiers: list(
    group(
      {
        name: text({ required: true }),
        reason: choice(
          [
            'applied',
            'not in the price book',
            'the product has a price of its own',
            'no currency of the price',
          ],
          { required: true },
        ),
        leaves: map(number({}), { about: 'The amounts after this modifier, by currency.' }),
      },
      {},
    ),
    { required: true },
  ),
  currencies: map(
    group(
      {
        from: choice(['price', 'sale'], { required: true }),
        tiers: choice(['none', 'of the price', 'of the sale', 'not of the price, as it is on sale'], {
          required: true,
        }),
      },
      {},
    ),
    { required: true },
  ),
}

/** Why a price is what it is: exactly one reason for each price book, sale and modifier. */
export type PriceTrace = ShownValues<typeof traceFields>

const traceSchema = named('PriceTrace', group(traceFields, {}).schema)

export const priceTrace = (about: string) => ({ ...group(traceFields, { about }), schema: traceSchema })
