import { module } from '../kernel/module.ts'
import { forgetStagedRows } from '../store/index.ts'
import { copyHierarchy, duplicateHierarchy } from './hierarchies/copy-hierarchy.ts'
import { hierarchies } from './hierarchies/hierarchies.ts'
import {
  addHierarchyChildren,
  addNodeChildren,
  deleteNodeParent,
  updateNodeParent,
} from './hierarchies/move-nodes.ts'
import { childrenOfHierarchy, childrenOfNode, listAllNodes } from './hierarchies/node-lists.ts'
import { addNodeProducts, deleteNodeProducts, listNodeProducts } from './hierarchies/node-products.ts'
import { nodes } from './hierarchies/nodes.ts'
import { attachNodes, detachNodes, listNodesOfProduct } from './hierarchies/nodes-of-products.ts'
import { createStock, createStockOfProduct } from './inventories/create-stock.ts'
import { createStockTransaction } from './inventories/create-stock-transaction.ts'
import { type Dialect, flatDialect, inEither, locatedDialect } from './inventories/dialects.ts'
import { inventoryLocations } from './inventories/inventory-locations.ts'
import { listStocksOfProducts } from './inventories/stocks.ts'
import { updateStock } from './inventories/update-stock.ts'
import { exportProducts } from './product-csv/export-products.ts'
import { importProducts } from './product-csv/import-products.ts'
import { productExport } from './product-csv/product-export.ts'
import { productImport } from './product-csv/product-import.ts'
import { table } from './product-csv/staged-rows.ts'
import {
  associateProducts,
  dissociateProducts,
  listAssociatedProductIds,
  listAssociatedProducts,
} from './products/associated-products.ts'
import {
  attachCustomRelationships,
  detachCustomRelationships,
  listAttachedCustomRelationships,
} from './products/attached-custom-relationships.ts'
import { componentProducts } from './products/bundles.ts'
import { customRelationships } from './products/custom-relationships.ts'
import { listMainImage, mainImage, productFiles } from './products/product-files.ts'
import { productTemplates } from './products/product-templates.ts'
import { listChildren, products as productResource } from './products/products.ts'
import { tags } from './products/tags.ts'
import { buildChildProducts, buildChildren } from './variations/build-children.ts'
import { modifiers } from './variations/modifiers.ts'
import { options } from './variations/options.ts'
import { variationsOfProduct } from './variations/product-variations.ts'
import { variations } from './variations/variations.ts'

export const productChapter = module({
  name: 'products',
  about: 'The products of a merchant.',
  resources: [productResource, tags, customRelationships],
  relationships: [componentProducts, productFiles, mainImage, productTemplates],
  actions: [
    listChildren,
    listMainImage,
    listAttachedCustomRelationships,
    attachCustomRelationships,
    detachCustomRelationships,
    listAssociatedProductIds,
    associateProducts,
    dissociateProducts,
    listAssociatedProducts,
  ],
})

export const hierarchyChapter = module({
  name: 'hierarchies',
  about: 'Trees of nodes that organize products.',
  resources: [hierarchies, nodes, childrenOfHierarchy, childrenOfNode],
  actions: [
    listAllNodes,
    updateNodeParent,
    deleteNodeParent,
    addHierarchyChildren,
    addNodeChildren,
    listNodeProducts,
    addNodeProducts,
    deleteNodeProducts,
    listNodesOfProduct,
    attachNodes,
    detachNodes,
    duplicateHierarchy,
  ],
  jobs: [copyHierarchy],
})

export const variationChapter = module({
  name: 'variations',
  about: 'Variations, their options and modifiers, and how child products are built.',
  resources: [variations, options, modifiers],
  relationships: [variationsOfProduct],
  actions: [buildChildProducts],
  jobs: [buildChildren],
})

const stockIn = (dialect: Dialect) => ({
  resources: [dialect.stocks, dialect.transactions],
  actions: [createStock, createStockOfProduct, listStocksOfProducts, updateStock, createStockTransaction].map(
    (declared) => declared(dialect),
  ),
})

const flatStock = stockIn(flatDialect)
const inventories = {
  name: 'inventories',
  about: 'The stock of products, its locations and its transactions.',
}

export const inventoryChapter = inEither(
  module({ ...inventories, ...flatStock, resources: [...flatStock.resources, inventoryLocations] }),
  module({ ...inventories, ...stockIn(locatedDialect) }),
)

export const productCsvChapter = module({
  name: 'product-csv',
  about: 'Imports products from CSV files and exports them.',
  resources: [],
  actions: [importProducts, exportProducts],
  jobs: [productImport, productExport],
  chores: [forgetStagedRows({ name: 'product-csv:forget-staged-rows', every: '23 4 * * *', table })],
})
