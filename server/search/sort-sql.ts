import { inEdition } from '../kernel/storage/editions.ts'
import { type Bind, type Shop, valuesOf } from './field-values.ts'
import type { SearchField } from './search-fields.ts'

/** What results are sorted by; `rank` is how well they match. */
export interface SortKey {
  readonly field: SearchField | { readonly in: 'rank' } | { readonly in: 'time'; readonly column: string }
  readonly descending: boolean
}

/** The key of each product (`id`), in columns of which the first that it has counts. */
interface Key {
  readonly sql: string
  readonly columns: readonly string[]
}

/** What is sorted: all products of the list, or the matches. */
interface Sorted {
  readonly from: string
  readonly isAll: boolean
}

/** Joins that give each product of `from` its keys, and the columns of these. */
export function sortKeysSql(
  sort: readonly SortKey[],
  shop: Shop,
  { from, isAll }: Sorted,
  bind: Bind,
): { readonly joins: string; readonly columns: string } {
  const keys = sort.flatMap((key, i) => {
    const found = keyOf(key, shop, { from, isAll }, bind)
    return found ? [{ ...found, name: `k${i}` }] : []
  })
  return {
    joins: keys.map(({ name, sql }) => ` LEFT JOIN (${sql}) ${name} ON ${name}.id = p.id`).join(''),
    columns: keys
      .flatMap(({ name, columns }) => columns.map((column) => `, ${name}.${column} AS ${name}_${column}`))
      .join(''),
  }
}

/** Undefined of a key that needs no join. Of several values a product has, the first in the order counts. */
function keyOf(
  { field, descending }: SortKey,
  shop: Shop,
  { from, isAll }: Sorted,
  bind: Bind,
): Key | undefined {
  const first = descending ? 'max' : 'min'
  const columns = columnsOf(field)
  const found = isAll ? '' : ' AND v.id IN (SELECT id FROM matches)'
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
      return { sql: ownKey(`v.${field.column}`, found), columns }
    case 'column':
      return { sql: ownKey(`lower(v.${field.column})`, found), columns }
    case 'prices': {
      const prices = valuesOf(field, shop, bind)?.from()
      return { sql: `SELECT v.id, ${first}(v.amount) AS value FROM ${prices}${found} GROUP BY v.id`, columns }
    }
  }
}

const columnsOf = (field: SortKey['field']): readonly string[] =>
  field.in === 'values' ? ['number', 'value'] : ['value']

const ownKey = (key: string, found: string) =>
  `SELECT v.id, ${key} AS value FROM published_products v
   WHERE v.store_id = $1 AND v.catalog_id = $2 AND ${inEdition('$3::int', 'v')} AND v.listed_in = $2${found}`

/** Products without a key are last. */
export function sortOrder(sort: readonly SortKey[], isAll: boolean): string {
  const keys = sort.flatMap(({ field, descending }, i) => {
    const direction = descending ? 'DESC' : 'ASC'
    if (field.in === 'words') return []
    if (field.in === 'rank') return `rank ${direction}`
    return columnsOf(field).map((column) => `k${i}_${column} ${direction} NULLS LAST`)
  })
  return [...keys, ...(isAll ? [] : ['rank DESC']), 'updated_at DESC', 'p.id DESC'].join(', ')
}
