export { catalogRules } from './catalogs/catalog-rules.ts'
export { releases } from './catalogs/releases.ts'
export type { CatalogShopper } from './catalogs/shopper-context.ts'
export {
  catalogChapter,
  publishing,
  releaseChapter,
  releaseContents,
  searchChapter,
  storefront,
} from './chapters.ts'
export type { SelectionRefusal } from './shown/configure-bundle.ts'
export type { ShopItem } from './shown/published-row.ts'
export { type CurrentShop, shopOf } from './shown/shop.ts'
export { showProductsTo } from './shown/show-products.ts'
export type { ShownProduct } from './shown/shown-fields.ts'
export { shopperHeaders } from './storefront/families.ts'
export { shopStateSql } from './view/find-shop.ts'
export { wantsExplanation } from './view/views.ts'
