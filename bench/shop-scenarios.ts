import type { Sql } from '../server/kernel/storage/database.ts'
import type { Scenario } from './scenarios.ts'
import type { SeededCatalog } from './seed-published.ts'

/** What shoppers ask for: products with their breadcrumbs and prices, alone and a page at a time. */
export function shopScenarios({ storeId, catalogId, pricebookId, productId }: SeededCatalog): Scenario[] {
  // Sutler does so in several: which catalog, which edition, which products, how many, and what they cost.
  const page = (offset: number): Sql => ({
    text: `${products} AND p.listed_in = $2 ORDER BY p.created_at DESC, p.id DESC LIMIT 25 OFFSET $4`,
    values: [storeId, catalogId, pricebookId, offset],
  })
  const one: Sql = {
    text: `${products} AND p.id = $4`,
    values: [storeId, catalogId, pricebookId, productId],
  }
  const path = '/catalog/products'
  return [
    { name: 'shop-product', path: `${path}/${productId}`, bare: { sql: one, quick: true } },
    { name: 'shop-list', path, bare: { sql: page(0), quick: false } },
    {
      name: 'shop-list-at-10000',
      path: `${path}?page%5Boffset%5D=9975`,
      bare: { sql: page(9975), quick: false },
      compareWith: 'shop-list',
    },
  ]
}

const products = `
  SELECT p.id, p.created_at, p.updated_at, p.doc, p.hidden, c.doc, t.n FROM published_products p
  JOIN edition_totals t ON t.store_id = $1 AND t.list = 'published_products.listed_in' AND t.scope = ARRAY[$2::uuid]
  LEFT JOIN published_prices c ON c.store_id = $1 AND c.catalog_id = $2 AND c.sku = p.sku AND c.pricebook_id = $3
    AND c.since <= 1 AND c.until > 1
  WHERE p.store_id = $1 AND p.catalog_id = $2 AND p.since <= 1 AND p.until > 1`
