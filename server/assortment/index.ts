export {
  hierarchyChapter,
  inventoryChapter,
  productChapter,
  productCsvChapter,
  variationChapter,
} from './chapters.ts'
export { hierarchies } from './hierarchies/hierarchies.ts'
export { nodes } from './hierarchies/nodes.ts'
export {
  allocate,
  awaitStock,
  crowdedStocks,
  deallocate,
  type Portion,
  ship,
} from './inventories/allocate.ts'
export { sellableOf } from './inventories/sellable.ts'
export { stockTransactions } from './inventories/stock-transactions.ts'
export { stockOf } from './inventories/stocks.ts'
export {
  type ChildVariation,
  type Components,
  componentsOf,
  type Product,
  type ProductFields,
  type ProductVariation,
  shownVariations,
  variationMatrix,
} from './product-fields/product-fields.ts'
export { products } from './products/products.ts'
