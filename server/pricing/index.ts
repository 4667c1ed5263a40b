import { module } from '../kernel/module.ts'

export { bundlePrice } from './bundle-price.ts'
export { always, type Cause, cause, firstCause, type Verdict } from './causes.ts'
export {
  type DisplayCurrency,
  displayCurrency,
  displayPrice,
  type ShownPrice,
  shownPrice,
} from './display-price.ts'
export { type Item, partsOf, type Selection, withParts } from './item.ts'
export { livePrices, readLivePrices } from './live-prices.ts'
export { type PriceFacts, priceCauses, priceFacts, priceVerdict } from './price-causes.ts'
export { priceChangesAt } from './price-changes.ts'
export { priceForQuantity } from './price-for-quantity.ts'
export { type ItemPrice, priceItem } from './price-item.ts'
export { type PriceSource, type PriceTable, priceKeysOf, toPriceTable } from './price-source.ts'
export { type PriceSpan, priceSpans } from './price-spans.ts'
export { type Quote, type QuoteRequest, quote, type Shop } from './quote.ts'
export {
  type Amounts,
  type BookPrices,
  type PriceQuery,
  resolvePrice,
} from './resolve-price.ts'
export { type PriceTrace, priceAttributes, priceMeta, priceTrace, words } from './shown-fields.ts'

export const pricing = module({
  name: 'pricing',
  about: 'Works out what a product costs, why, and until when.',
})
