import type { Bind } from '../../kernel/storage/binds.ts'
import { inEdition } from '../../kernel/storage/editions.ts'
import { type EditionShop, findValues } from './field-values.ts'
import type { SearchField } from './search-fields.ts'

/** A key that results are sorted by. `rank` is how well they match. */
export interface SortKey {
  readonly field: SearchField | { readonly in: 'rank' } | { readonly in: 'time'; readonly column: string }
  readonly descending: boolean
}

/** Whether the key is read for each product; the others are known of a match. */
export const hasColumns = ({ field }: SortKey): boolean => field.in !== 'rank' && field.in !== 'words'

/** The key of each product (`id`), as columns. The first column that is not null counts. */
interface OrderColumns {
  readonly sql: string
  readonly columns: readonly string[]
}

/** The rows that are sorted: all products, or the matches. */
interface SortSource {
  readonly from: string
  readonly isAll: boolean
}

/** The joins that add the sort keys to the rows of `from`, and the columns of these keys. */
export function sortKeysSql(
  sort: readonly SortKey[],
  shop: EditionShop,
  { from, isAll }: SortSource,
  bind: Bind,
): { readonly joins: string; readonly columns: string } {
  const keys = sort.flatMap((key, i) => {
    const keySql = findKey(key, shop, { from, isAll }, bind)
    return keySql ? [{ ...keySql, name: `k${i}` }] : []
  })
  return {
    joins: keys.map(({ name, sql }) => ` LEFT JOIN (${sql}) ${name} ON ${name}.id = p.id`).join(''),
    columns: keys
      .flatMap(({ name, columns }) => columns.map((column) => `, ${name}.${column} AS ${name}_${column}`))
      .join(''),
  }
}

/** Undefined for a key that needs no join. If a product has several values, the first in the order counts. */
function findKey(
  { field, descending }: SortKey,
  shop: EditionShop,
  { from, isAll }: SortSource,
  bind: Bind,
): OrderColumns | undefined {
  const first = descending ? 'max' : 'min'
  const columns = keyColumns(field)
  const onlyMatches = isAll ? '' : ' AND v.id IN (SELECT id FROM matches)'
  switch (field.in) {
    case 'rank':
    case 'words':
      return undefined
    case 'values': {
      const name = bind(field.name)
      const sql = `SELECT u.id, ${first}(d.number) AS number, ${first}(lower(d.value)) AS value
        FROM (SELECT p.id, unnest(p.value_ids) AS value_id FROM ${from}) u
        JOIN published_values d
          ON d.store_id = $1 AND d.catalog_id = $2 AND d.field = ${name} AND d.id = u.value_id GROUP BY u.id`
      return { sql, columns }
    }
    case 'time':
      return { sql: productKeySql(`v.${field.column}`, onlyMatches), columns }
    case 'column':
      return { sql: productKeySql(`lower(v.${field.column})`, onlyMatches), columns }
    case 'prices': {
      const prices = findValues(field, shop, bind)?.from()
      return {
        sql: `SELECT v.id, ${first}(v.amount) AS value FROM ${prices}${onlyMatches} GROUP BY v.id`,
        columns,
      }
    }
  }
}

const keyColumns = (field: SortKey['field']): readonly string[] =>
  field.in === 'values' ? ['number', 'value'] : ['value']

const productKeySql = (key: string, onlyMatches: string) =>
  `SELECT v.id, ${key} AS value FROM published_products v
   WHERE v.store_id = $1 AND v.catalog_id = $2 AND ${inEdition('$3::int', 'v')} AND v.listed_in = $2${onlyMatches}`

/** The ORDER BY list. Only matches of words have ranks. */
export const orderSql = (sort: readonly SortKey[], hasRanks: boolean): string =>
  [...keysSql(sort, hasRanks), ...(hasRanks ? ['rank DESC'] : []), 'updated_at DESC', 'p.id DESC'].join(', ')

/** The keys in the ORDER BY list. Products without a key come last. */
export const keysSql = (sort: readonly SortKey[], hasRanks: boolean): readonly string[] =>
  sort.flatMap(({ field, descending }, i) => {
    const direction = descending ? 'DESC' : 'ASC'
    if (field.in === 'words') return []
    if (field.in === 'rank') return hasRanks ? `rank ${direction}` : []
    return keyColumns(field).map((column) => `k${i}_${column} ${direction} NULLS LAST`)
  })
