import { module } from '../../kernel/module.ts'
import { forgetStagedRows } from '../../store/index.ts'
import { exportProducts } from './export-products.ts'
import { importProducts } from './import-products.ts'
import { productExport } from './product-export.ts'
import { productImport } from './product-import.ts'
import { table } from './staged-rows.ts'

export const productCsvChapter = module({
  name: 'product-csv',
  about: 'Imports products from CSV files and exports them.',
  resources: [],
  actions: [importProducts, exportProducts],
  jobs: [productImport, productExport],
  chores: [forgetStagedRows({ name: 'product-csv:forget-staged-rows', every: '23 4 * * *', table })],
})
