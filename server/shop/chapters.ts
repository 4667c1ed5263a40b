import { fill } from '../kernel/declare/hook.ts'
import { module } from '../kernel/module.ts'
import { catalogRules, pricebooksToAdd } from './catalogs/catalog-rules.ts'
import { catalogs } from './catalogs/catalogs.ts'
import { releases } from './catalogs/releases.ts'
import { validateCatalogRules } from './catalogs/validate-catalog-rules.ts'
import { addPricebooks, queueMissingPricebooks } from './publishing/add-pricebooks.ts'
import { forgetEditions } from './publishing/forget-editions.ts'
import { reindexSearch, reindexSearches } from './publishing/reindex-search.ts'
import { createRelease } from './releases/create-release.ts'
import { deleteRelease, deleteReleases } from './releases/delete-release.ts'
import { forgetOldReleases } from './releases/forget-releases.ts'
import { publishCatalog } from './releases/publish-catalog.ts'
import { getRelease, listReleases } from './releases/read-releases.ts'
import { multiSearch } from './search/multi-search.ts'
import { checkVisibility } from './storefront/check-visibility.ts'
import { configureProduct } from './storefront/configure-product.ts'
import { asAliases, forMerchants, forShoppers } from './storefront/families.ts'
import { getCatalog } from './storefront/get-catalog.ts'
import { readDelta } from './storefront/read-delta.ts'
import { hierarchyReads, nodeReads } from './storefront/read-nodes.ts'
import {
  listProductsOfHierarchy,
  listProductsOfHierarchyToo,
  listProductsOfNode,
  productReads,
} from './storefront/read-products.ts'
import { ofWholeEdition } from './view/whole-edition.ts'

export const catalogChapter = module({
  name: 'catalogs',
  about: 'Catalogs, and the rules that choose the catalog of a shopper.',
  alsoUnder: '/pcm',
  resources: [catalogs, catalogRules],
  actions: [validateCatalogRules],
})

export const publishing = module({
  name: 'publishing',
  about: 'Publishes catalogs, edition by edition.',
  jobs: [addPricebooks, reindexSearch],
  chores: [forgetEditions, reindexSearches],
  adds: [fill(pricebooksToAdd, queueMissingPricebooks)],
})

export const releaseChapter = module({
  name: 'releases',
  about: 'Publishes catalogs.',
  alsoUnder: '/pcm',
  resources: [releases],
  actions: [listReleases, createRelease, getRelease, deleteRelease, deleteReleases],
  jobs: [publishCatalog],
  chores: [forgetOldReleases],
})

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

export const searchChapter = module({
  name: 'search',
  about: 'Searches the products that shoppers see.',
  actions: [ofWholeEdition(multiSearch)],
})
