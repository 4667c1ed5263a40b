import type { Window } from '../server/kernel/query/page-text.ts'
import { pageSql } from '../server/kernel/query/sql.ts'
import type { Sql } from '../server/kernel/storage/database.ts'
import { statementsOf } from '../server/kernel/storage/row-statements.ts'
import { pricesSql } from '../server/shop/publishing/publish-prices.ts'
import { productsOfCatalog, publishedProducts } from '../server/shop/storefront/published-products.ts'
import { shopSql } from '../server/shop/view/find-shop.ts'
import { oneOf } from './bare.ts'
import type { Scenario } from './scenarios.ts'
import type { SeededCatalog } from './seed-published.ts'

/**
 * Requests of shoppers: products with their breadcrumbs and prices, alone and a page at a time. They take three
 * statements: one for the edition of the catalog, one for the products, and one for their prices.
 */
export function shopScenarios({
  storeId,
  catalogId,
  pricebookId,
  skus,
  productIds,
}: SeededCatalog): Scenario[] {
  const scope = [catalogId, '1']
  const shop: Sql = { text: shopSql, values: [storeId, [], null] }
  const page = (window: Window) => pageSql({ resource: productsOfCatalog, scope }, undefined, window, storeId)
  const prices = (n: number): Sql => ({
    text: pricesSql,
    values: [storeId, ...scope, [pricebookId], skus.slice(0, n), [], []],
    page: true,
  })
  const one = (id: unknown): Sql => ({
    text: statementsOf(publishedProducts).findWhole,
    values: [storeId, id, ...scope],
  })
  const path = '/catalog/products'
  const first: Window = { limit: 25, offset: 0, column: 'created_at', descending: true }
  return [
    {
      name: 'shop-product',
      path: `${path}/${productIds[0]}`,
      bare: { before: [shop, one(productIds[0])], sql: prices(1), quick: true },
    },
    {
      name: 'shop-product-unread',
      path: '',
      paths: productIds.map((id) => `${path}/${id}`),
      bare: { before: [shop, one(oneOf(productIds))], sql: prices(1), quick: true },
    },
    {
      name: 'shop-list',
      path,
      bare: { before: [shop, prices(25)], sql: page(first), quick: true },
    },
    {
      name: 'shop-list-at-9975',
      path: `${path}?page%5Boffset%5D=9975`,
      bare: { before: [shop, prices(25)], sql: page({ ...first, offset: 9975 }), quick: true },
      compareWith: 'shop-list',
    },
  ]
}
