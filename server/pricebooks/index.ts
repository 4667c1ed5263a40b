import { module } from '../kernel/module.ts'
import { listAllPrices } from './list-all-prices.ts'
import { priceModifiers } from './price-modifiers.ts'
import { pricebooks } from './pricebooks.ts'
import { prices } from './prices.ts'
import { replicatePricebook } from './replicate-pricebook.ts'

export { type BundlePart, type BundlePrice, bundlePrice } from './bundle-price.ts'
export {
  type DisplayCurrency,
  type DisplayPrice,
  displayCurrency,
  displayPrice,
  type ShownPrice,
  shownPrice,
} from './display-price.ts'
export { priceChangesAt } from './price-changes.ts'
export { priceForQuantity, type UnitPrice } from './price-for-quantity.ts'
export {
  type Amount,
  type Amounts,
  type BookPrices,
  type PriceQuestion,
  type PriceTrace,
  type Resolution,
  type ResolvedPrice,
  type ResolvedTier,
  resolvePrice,
} from './resolve-price.ts'
export type { SaleReason, SaleTrace } from './sale-in-force.ts'
export type {
  ModifierType,
  Schedule,
  StoredAmount,
  StoredCurrencies,
  StoredModifier,
  StoredPrice,
  StoredSale,
  StoredTier,
} from './stored-prices.ts'
export { pricebooks, priceModifiers, prices }

export const pricebookChapter = module({
  name: 'pricebooks',
  about: 'What things cost, and why.',
  resources: [pricebooks, prices, priceModifiers],
  actions: [listAllPrices, replicatePricebook],
})
