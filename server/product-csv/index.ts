import { module } from '../kernel/module.ts'
import { forgetStagedRows } from './forget-staged-rows.ts'
import { importProducts } from './import-products.ts'
import { productImport } from './product-import.ts'

export const productCsvChapter = module({
  name: 'product-csv',
  about: 'Products as rows of CSV files.',
  resources: [],
  actions: [importProducts],
  jobs: [productImport],
  chores: [forgetStagedRows],
})
