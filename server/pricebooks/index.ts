import { module } from '../kernel/module.ts'
import { listAllPrices } from './list-all-prices.ts'
import { priceModifiers } from './price-modifiers.ts'
import { pricebooks } from './pricebooks.ts'
import { prices } from './prices.ts'
import { replicatePricebook } from './replicate-pricebook.ts'

export { currencies as currenciesSchema, salesField } from './currencies-field.ts'
export {
  type By,
  type ModifierType,
  modifierTypes,
  own,
  type StoredAmount,
  type StoredCurrencies,
  type StoredModifier,
  type StoredPrice,
  type StoredSale,
} from './stored-prices.ts'
export { pricebooks, prices }

export const pricebookChapter = module({
  name: 'pricebooks',
  about: 'Price books: prices by SKU, with sales, tiers and modifiers.',
  resources: [pricebooks, prices, priceModifiers],
  actions: [listAllPrices, replicatePricebook],
})
