import { module } from '../kernel/module.ts'
import { checkVisibility } from './check-visibility.ts'
import { configureProduct } from './configure-product.ts'
import { asAliases, forMerchants, forShoppers } from './families.ts'
import { getCatalog } from './get-catalog.ts'
import { readDelta } from './read-delta.ts'
import { hierarchyReads, nodeReads } from './read-nodes.ts'
import {
  listProductsOfHierarchy,
  listProductsOfHierarchyToo,
  listProductsOfNode,
  productReads,
} from './read-products.ts'
import { ofWholeEdition } from './whole-edition.ts'

export type { SelectionRefusal } from './configure-bundle.ts'
export { shopperHeaders } from './families.ts'
export { includedText } from './included.ts'
export { nameIn } from './languages.ts'
export { findPublishedRows, type PublishedRow, type ShopItem } from './published-row.ts'
export { type CurrentShop, shopOf } from './shop.ts'
export { showProducts } from './show-products.ts'
export { showProductsTo } from './show-products-to.ts'
export type { ShownProduct } from './shown-fields.ts'
export type { View } from './view.ts'
export { shopperView, wantsExplanation } from './views.ts'
export { ofWholeEdition }

const reads = [
  ...hierarchyReads,
  listProductsOfHierarchy,
  ...nodeReads,
  listProductsOfNode,
  ...productReads,
  configureProduct,
]

export const storefront = module({
  name: 'storefront',
  about: 'What shoppers see: the current release of the catalog that the rules choose for them.',
  actions: [...forShoppers([getCatalog, ...reads]), readDelta],
})

export const releaseContents = module({
  name: 'release contents',
  about: 'What shoppers see of any release of any catalog, for the merchant.',
  alsoUnder: '/pcm',
  actions: [
    ...forMerchants([...reads, listProductsOfHierarchyToo]),
    ...asAliases(nodeReads),
    ofWholeEdition(checkVisibility),
  ],
})
