import type { SearchFilter } from './filter-syntax.ts'
import type { SortKey } from './sort-sql.ts'

/** Where the values of a field are stored. */
export type SearchField =
  /** A column of the products. */
  | { readonly in: 'column'; readonly column: string; readonly weight?: 'A' | 'B' | 'C' }
  /** Only the words are stored. */
  | { readonly in: 'words'; readonly weight: 'D' }
  | { readonly in: 'values'; readonly name: string }
  /**
   * The effective prices in a currency, or in the shopper's. Amounts are whole numbers; `float_price` is in units of
   * the currency.
   */
  | { readonly in: 'prices'; readonly currency: string | undefined; readonly whole: boolean }

export type PriceField = SearchField & { readonly in: 'prices' }

const columns: Readonly<Record<string, SearchField>> = {
  id: { in: 'column', column: 'id::text' },
  name: { in: 'column', column: 'name', weight: 'A' },
  sku: { in: 'column', column: 'sku', weight: 'B' },
  manufacturer_part_num: { in: 'column', column: 'manufacturer_part_num', weight: 'C' },
  slug: { in: 'column', column: 'slug' },
  upc_ean: { in: 'column', column: 'upc_ean' },
  description: { in: 'words', weight: 'D' },
}

const price = /^price\.(?:([A-Za-z]{3})\.)?(float_price|amount)$/

/** The field with a name. Clients may write `attributes.` before the names of attributes. */
export function searchField(text: string): SearchField {
  const name = text.replace(/^(?:attributes\.|meta\.search\.)/, '')
  const [, currency, unit] = price.exec(name) ?? []
  if (unit) return { in: 'prices', currency: currency?.toUpperCase(), whole: unit === 'amount' }
  return Object.hasOwn(columns, name) ? (columns[name] as SearchField) : { in: 'values', name }
}

const times = new Set(['created_at', 'updated_at'])

/** The sort key with a name. Some keys cannot be filtered by. */
export function sortField(name: string): SortKey['field'] {
  if (name === '_text_match') return { in: 'rank' }
  const field = searchField(name)
  return field.in === 'values' && times.has(field.name) ? { in: 'time', column: field.name } : field
}

/** Prices change with time, and differ by shopper. */
export const isPrice = ({ field }: Pick<SortKey, 'field'>): boolean => field.in === 'prices'

export const readsPrices = (filter: SearchFilter): boolean => pricesRead(filter).length > 0

/** The fields of prices that a filter reads. */
export function pricesRead(filter: SearchFilter): readonly PriceField[] {
  if (filter.is !== 'term') return filter.of.flatMap(pricesRead)
  const field = searchField(filter.field)
  return field.in === 'prices' ? [field] : []
}
