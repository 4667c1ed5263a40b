import { forgetStaged } from '../imports/index.ts'
import { module } from '../kernel/declare/module.ts'
import { importPrices } from './import-prices.ts'
import { priceImport } from './price-import.ts'
import { table } from './staged-lines.ts'

export const priceImportChapter = module({
  name: 'price-import',
  about: 'Price books and prices as lines of JSONL files.',
  resources: [],
  actions: [importPrices],
  jobs: [priceImport],
  chores: [forgetStaged({ name: 'price-import:forget-staged-lines', every: '29 4 * * *', table })],
})
