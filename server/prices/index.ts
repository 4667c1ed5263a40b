export { moneyChapter, pricebookChapter, priceImportChapter, pricing } from './chapters.ts'
export { AmountTooLarge, divide, multiply, round, sum, toAmount } from './money/amounts.ts'
export { apportion, cutTo } from './money/apportion.ts'
export { addRatios, decimal, type Exact, percent, type Ratio, ratio, toRatio } from './money/ratio.ts'
export { salesField } from './pricebooks/currencies-field.ts'
export { pricebooks } from './pricebooks/pricebooks.ts'
export type { StoredPrice } from './pricebooks/stored-prices.ts'
export { always, type Cause, cause, firstCause, type Verdict } from './pricing/causes.ts'
export {
  type DisplayCurrency,
  displayCurrency,
  displayPrice,
  type ShownPrice,
  shownPrice,
} from './pricing/display-price.ts'
export { type Item, partsOf, type Selection, withParts } from './pricing/item.ts'
export { type PriceFacts, priceFacts, priceVerdict } from './pricing/price-causes.ts'
export { priceForQuantity } from './pricing/price-for-quantity.ts'
export { type ItemPrice, priceItem } from './pricing/price-item.ts'
export {
  livePrices,
  type PriceSource,
  type PriceTable,
  priceKeysOf,
  readLivePrices,
  toPriceTable,
} from './pricing/price-source.ts'
export { type PriceSpan, priceSpans } from './pricing/price-spans.ts'
export { type Quote, type QuoteRequest, quote, type Shop } from './pricing/quote.ts'
export type { PriceAmounts } from './pricing/resolve-price.ts'
export { type PriceTrace, priceAttributes, priceMeta, priceTrace, words } from './pricing/shown-fields.ts'
