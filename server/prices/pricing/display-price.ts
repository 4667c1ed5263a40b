import type { ShownValues } from '../../kernel/shape/fields.ts'
import { type Money, money, type Notation } from '../../store/index.ts'
import { own } from '../pricebooks/stored-prices.ts'
import type { PriceAmounts, ResolvedPrice } from './resolve-price.ts'
import type { priceAttributes, priceMeta } from './shown-fields.ts'

/** An amount for display, under the name that says whether it includes tax. */
type DisplayPrice = { readonly with_tax: Money } | { readonly without_tax: Money }

/** A currency of the store, with what formatting needs. */
export interface DisplayCurrency extends Notation {
  readonly default: boolean
  readonly enabled: boolean
}

/** Chooses the currency of a shopper: the requested one if it is enabled, otherwise the default of the store. */
export function displayCurrency<C extends DisplayCurrency>(
  requested: string | undefined,
  currencies: readonly C[],
): C | undefined {
  const code = requested?.trim().toUpperCase()
  return currencies.find((one) => one.code === code && one.enabled) ?? currencies.find((one) => one.default)
}

/** Undefined where there is no amount in the currency. */
export function displayPrice(
  amounts: PriceAmounts | undefined,
  currency: DisplayCurrency | undefined,
): DisplayPrice | undefined {
  const price = currency && own(amounts, currency.code)
  if (!price) return undefined
  const shown = money(price.amount, currency)
  return price.includes_tax ? { with_tax: shown } : { without_tax: shown }
}

/** The sale of a price, as `meta` shows it. */
interface SaleMeta {
  readonly sale_id?: string
  readonly sale_expires?: string
}

type Meta = ShownValues<typeof priceMeta>
type DisplayPrices = Pick<Meta, 'display_price' | 'original_price' | 'original_display_price'>

/** The price in a product's answer: some of it among the attributes, some in `meta`. */
export interface ShownPrice {
  readonly attributes: ShownValues<typeof priceAttributes> & { readonly price: PriceAmounts }
  readonly meta: Meta & { readonly pricebook_id: string }
}

/** Shows a resolved price as shoppers see it, formatted in a currency. */
export function shownPrice(price: ResolvedPrice, currency: DisplayCurrency | undefined): ShownPrice {
  const { pricebook_id, currencies, original, sale_id, sale_expires, shopper_attributes } = price
  const tiers = price.tiers && Object.entries(price.tiers)
  const modifiers = price.price_modifiers
  const saleMeta: SaleMeta = {
    ...(sale_id !== undefined && { sale_id }),
    ...(sale_expires && { sale_expires }),
  }
  return {
    attributes: {
      price: currencies,
      ...(tiers && {
        tiers: Object.fromEntries(
          tiers.map(([name, { minimum_quantity, price }]) => [name, { minimum_quantity, price }]),
        ),
      }),
      ...(modifiers && { price_modifiers: modifiers.map(({ name }) => name) }),
      ...(shopper_attributes && { shopper_attributes }),
    },
    meta: {
      pricebook_id,
      ...displayed(currencies, original, currency),
      ...saleMeta,
      ...(tiers && {
        tiers: Object.fromEntries(
          tiers.map(([name, tier]) => [
            name,
            { ...displayed(tier.price, tier.original, currency), ...(tier.original && saleMeta) },
          ]),
        ),
      }),
      ...(modifiers && {
        price_modifiers: Object.fromEntries(
          modifiers.map(({ name, modifier_type, currencies }) => [name, { modifier_type, currencies }]),
        ),
      }),
    },
  }
}

function displayed(
  amounts: PriceAmounts,
  original: PriceAmounts | undefined,
  currency: DisplayCurrency | undefined,
): DisplayPrices {
  const display_price = displayPrice(amounts, currency)
  const original_display_price = displayPrice(original, currency)
  return {
    ...(display_price && { display_price }),
    ...(original && { original_price: original }),
    ...(original_display_price && { original_display_price }),
  }
}
