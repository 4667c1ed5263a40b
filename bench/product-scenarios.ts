import { products } from '../server/assortment/products/products.ts'
import type { Window } from '../server/kernel/query/page-text.ts'
import { parse } from '../server/kernel/query/parse.ts'
import { plan } from '../server/kernel/query/plan.ts'
import { pageSql } from '../server/kernel/query/sql.ts'
import type { Sql } from '../server/kernel/storage/database.ts'
import { rowColumns } from '../server/kernel/storage/stored-row.ts'
import type { Bare } from './bare.ts'
import type { Scenario } from './scenarios.ts'
import type { SeededProducts } from './seed-products.ts'

const first: Window = { limit: 25, offset: 0, column: 'created_at', descending: true }

/** Filters of products, and the number of matches. */
export const productFilters = {
  'product-by-sku': 'eq(sku,sku-4242)',
  'products-by-tag-a-thousandth': 'eq(tags,tag-42)',
  'products-by-tag-all': 'eq(tags,sold)',
  'product-by-template-field': 'eq(extensions.book.isbn,978-4240)',
  'products-in-no-node-a-hundredth': 'eq(has_nodes,false)',
}

/** The statement of a page of products that meet a filter. */
export function filteredSql(filter: string, storeId: string): Sql {
  const planned = plan(parse(`filter=${encodeURIComponent(filter)}`), products).filter
  return pageSql({ resource: products, scope: [] }, planned, first, storeId)
}

export function productScenarios({ storeId, productId, hierarchyId, nodeId }: SeededProducts): Scenario[] {
  const path = '/pcm/products'
  const page = (window: Window): Bare => ({
    sql: pageSql({ resource: products, scope: [] }, undefined, window, storeId),
    quick: false,
  })
  const one: Sql = {
    text: `SELECT ${rowColumns(products)} FROM products WHERE store_id = $1 AND id = $2`,
    values: [storeId, productId],
  }
  const inNode = `/pcm/hierarchies/${hierarchyId}/nodes/${nodeId}/products`
  // Sutler takes three statements: for the node, for the ids of its products, and for the products.
  const pageOfNode = (offset: number): Bare => ({
    sql: {
      text:
        `SELECT ${rowColumns(products, 'p.')} FROM (SELECT id, place FROM node_products ` +
        'WHERE store_id = $1 AND node_id = $2 ORDER BY place DESC, id DESC LIMIT 25 OFFSET $3) l ' +
        'JOIN products p ON p.store_id = $1 AND p.id = l.id ORDER BY l.place DESC, l.id DESC',
      values: [storeId, nodeId, offset],
    },
    quick: false,
  })
  return [
    { name: 'get-product', path: `${path}/${productId}`, bare: { sql: one, quick: true } },
    { name: 'list-products', path, bare: page(first) },
    {
      name: 'list-products-at-10000',
      path: `${path}?page%5Boffset%5D=10000`,
      bare: page({ ...first, offset: 10_000 }),
      compareWith: 'list-products',
    },
    // Without filters that all of a million products meet: they take so long that of 32 concurrent requests some get
    // no connection in time.
    ...Object.entries(productFilters)
      .filter(([name]) => !name.endsWith('-all'))
      .map(([name, filter]) => ({
        name: `filter-${name}`,
        path: `${path}?filter=${encodeURIComponent(filter)}`,
        bare: { sql: filteredSql(filter, storeId), quick: false },
      })),
    { name: 'list-node-products', path: inNode, bare: pageOfNode(0) },
    {
      name: 'list-node-products-at-10000',
      path: `${inNode}?page%5Boffset%5D=10000`,
      bare: pageOfNode(10_000),
      compareWith: 'list-node-products',
    },
  ]
}
