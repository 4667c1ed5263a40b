import { module } from '../../kernel/module.ts'
import { forgetStagedRows } from '../../store/index.ts'
import { importPrices } from './import-prices.ts'
import { priceImport } from './price-import.ts'
import { table } from './staged-lines.ts'

export const priceImportChapter = module({
  name: 'price-import',
  about: 'Imports price books and prices from JSONL files.',
  resources: [],
  actions: [importPrices],
  jobs: [priceImport],
  chores: [forgetStagedRows({ name: 'price-import:forget-staged-lines', every: '29 4 * * *', table })],
})
