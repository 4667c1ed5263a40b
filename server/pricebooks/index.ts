import { module } from '../kernel/declare/module.ts'
import { listAllPrices } from './list-all-prices.ts'
import { priceModifiers } from './price-modifiers.ts'
import { pricebooks } from './pricebooks.ts'
import { prices } from './prices.ts'
import { replicatePricebook } from './replicate-pricebook.ts'

export { bundlePrice } from './bundle-price.ts'
export { salesField } from './currencies-field.ts'
export {
  type DisplayCurrency,
  displayCurrency,
  displayPrice,
  type ShownPrice,
  shownPrice,
} from './display-price.ts'
export { priceChangesAt } from './price-changes.ts'
export { priceForQuantity } from './price-for-quantity.ts'
export {
  type Amounts,
  type BookPrices,
  type PriceQuestion,
  type Resolution,
  type ResolvedPrice,
  resolvePrice,
} from './resolve-price.ts'
export { type PriceTrace, priceAttributes, priceMeta, priceTrace, words } from './shown-fields.ts'
export type {
  StoredCurrencies,
  StoredModifier,
  StoredPrice,
  StoredSale,
} from './stored-prices.ts'
export { pricebooks, priceModifiers, prices }

export const pricebookChapter = module({
  name: 'pricebooks',
  about: 'What things cost, and why.',
  resources: [pricebooks, prices, priceModifiers],
  actions: [listAllPrices, replicatePricebook],
})
