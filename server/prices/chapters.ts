import { module } from '../kernel/module.ts'
import { forgetStagedRows } from '../store/index.ts'
import { importPrices } from './price-import/import-prices.ts'
import { priceImport } from './price-import/price-import.ts'
import { table } from './price-import/staged-lines.ts'
import { priceModifiers } from './pricebooks/price-modifiers.ts'
import { pricebooks } from './pricebooks/pricebooks.ts'
import { listAllPrices, prices } from './pricebooks/prices.ts'
import { replicatePricebook } from './pricebooks/replicate-pricebook.ts'

export const moneyChapter = module({
  name: 'money',
  about: 'Takes percentages of amounts, and divides amounts, exactly.',
})

export const pricebookChapter = module({
  name: 'pricebooks',
  about: 'Price books: prices by SKU, with sales, tiers and modifiers.',
  resources: [pricebooks, prices, priceModifiers],
  actions: [listAllPrices, replicatePricebook],
})

export const pricing = module({
  name: 'pricing',
  about: 'Works out what a product costs, why, and until when.',
})

export const priceImportChapter = module({
  name: 'price-import',
  about: 'Imports price books and prices from JSONL files.',
  resources: [],
  actions: [importPrices],
  jobs: [priceImport],
  chores: [forgetStagedRows({ name: 'price-import:forget-staged-lines', every: '29 4 * * *', table })],
})
