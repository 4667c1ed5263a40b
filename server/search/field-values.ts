import { Binds } from '../kernel/storage/binds.ts'
import { inEdition } from '../kernel/storage/editions.ts'
import type { SearchField } from './search-fields.ts'

export type Bind = Binds['bind']

/** What is searched: an edition of a catalog at an instant, with its prices. */
export interface Shop {
  readonly catalogId: string
  readonly edition: number
  /** The strongest first. */
  readonly books: readonly string[]
  readonly at: Date
  /** How many digits amounts of a currency have behind the point. */
  readonly decimals: ReadonlyMap<string, number>
}

/** The values of a field that are to be looked at: rows `v`, of which each is of a product (`v.id`). */
export interface Values {
  /** It binds what it needs when it is called. */
  from(): string
  /** SQL of what is compared as text, and as a number. */
  readonly text?: string
  readonly number?: string
  /** What the number is multiplied by, as it is stored. */
  readonly scale?: number
}

/** Binds what all statements about a shop begin with, after the store. */
export const bindsOf = ({ catalogId, edition }: Shop): Binds => new Binds([undefined, catalogId, edition])

const own = (table: string) =>
  `${table} v WHERE v.store_id = $1 AND v.catalog_id = $2 AND ${inEdition('$3::int', 'v')}`

/** The values of a field; undefined of one whose words are all that is known. */
export function valuesOf(field: SearchField, shop: Shop, bind: Bind): Values | undefined {
  switch (field.in) {
    case 'column':
      return {
        from: () => `${own('published_products')} AND v.listed_in = $2 AND v.${field.column} IS NOT NULL`,
        text: `v.${field.column}`,
      }
    case 'values':
      return {
        from: () => `${own('published_numbers')} AND v.field = ${bind(field.name)}`,
        number: 'v.number',
      }
    case 'prices': {
      const { currency, whole } = field
      return {
        from: () => pricesOf(currency, shop, bind),
        number: 'v.amount',
        scale: whole ? 0 : (shop.decimals.get(currency) ?? 2),
      }
    }
    case 'words':
      return undefined
  }
}

/** The amounts of a currency: of each product those of the strongest book that prices it. */
function pricesOf(currency: string, { books, at }: Shop, bind: Bind): string {
  const now = bind(at)
  const asked = bind(books)
  const stronger =
    books.length < 2
      ? ''
      : ` AND NOT EXISTS (
         SELECT FROM published_price_spans o
         WHERE o.store_id = $1 AND o.catalog_id = $2 AND o.id = v.id AND ${inEdition('$3::int', 'o')}
           AND array_position(${asked}::uuid[], o.pricebook_id) < array_position(${asked}::uuid[], v.pricebook_id))`
  return (
    `${own('published_price_spans')} AND v.pricebook_id = ANY(${asked}::uuid[]) AND v.currency = ${bind(currency)}` +
    ` AND v.amount IS NOT NULL AND v.valid_from <= ${now}::timestamptz AND v.valid_to > ${now}::timestamptz${stronger}`
  )
}
