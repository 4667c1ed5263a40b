import { module } from '../kernel/declare/module.ts'
import { forgetStagedLines } from './forget-staged-lines.ts'
import { importPrices } from './import-prices.ts'
import { priceImport } from './price-import.ts'

export const priceImportChapter = module({
  name: 'price-import',
  about: 'Price books and prices as lines of JSONL files.',
  resources: [],
  actions: [importPrices],
  jobs: [priceImport],
  chores: [forgetStagedLines],
})
