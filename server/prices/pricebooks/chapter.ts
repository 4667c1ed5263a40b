import { module } from '../../kernel/module.ts'
import { listAllPrices } from './list-all-prices.ts'
import { priceModifiers } from './price-modifiers.ts'
import { pricebooks } from './pricebooks.ts'
import { prices } from './prices.ts'
import { replicatePricebook } from './replicate-pricebook.ts'

export const pricebookChapter = module({
  name: 'pricebooks',
  about: 'Price books: prices by SKU, with sales, tiers and modifiers.',
  resources: [pricebooks, prices, priceModifiers],
  actions: [listAllPrices, replicatePricebook],
})
