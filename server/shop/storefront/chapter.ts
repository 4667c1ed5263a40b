import { module } from '../../kernel/module.ts'
import { ofWholeEdition } from '../view/whole-edition.ts'
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
