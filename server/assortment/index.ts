export { hierarchyChapter } from './hierarchies/chapter.ts'
export { hierarchies } from './hierarchies/hierarchies.ts'
export { nodes } from './hierarchies/nodes.ts'
export { allocate, deallocate, type Portion, ship } from './inventories/allocate.ts'
export { inventoryChapter } from './inventories/chapter.ts'
export { sellableOf } from './inventories/sellable.ts'
export { findStock as stockOf } from './inventories/stock-of.ts'
export { stockTransactions } from './inventories/stock-transactions.ts'
export { productCsvChapter } from './product-csv/chapter.ts'
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
export { productChapter } from './products/chapter.ts'
export { products } from './products/products.ts'
export { variationChapter } from './variations/chapter.ts'
