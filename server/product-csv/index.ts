import { module } from '../kernel/declare/module.ts'
import { exportProducts } from './export-products.ts'
import { forgetStagedRows } from './forget-staged-rows.ts'
import { importProducts } from './import-products.ts'
import { productExport } from './product-export.ts'
import { productImport } from './product-import.ts'
import { serveExport } from './serve-export.ts'

export const productCsvChapter = module({
  name: 'product-csv',
  about: 'Products as rows of CSV files.',
  resources: [],
  actions: [importProducts, exportProducts, serveExport],
  jobs: [productImport, productExport],
  chores: [forgetStagedRows],
})
