import { type Bind, Binds } from '../../kernel/storage/binds.ts'
import { inEdition } from '../../kernel/storage/editions.ts'
import type { View } from '../view/view.ts'
import type { PriceField, SearchField } from './search-fields.ts'

/** The edition of a catalog that is searched, with its prices at an instant. */
export interface EditionShop {
  readonly catalogId: string
  readonly edition: number
  /** Price books, strongest first. */
  readonly books: readonly string[]
  readonly at: Date
  /** The code of the shopper's currency. */
  readonly currency: string
  /** The decimal places of each currency. */
  readonly decimals: ReadonlyMap<string, number>
}

/** The shop that is searched, as the shopper sees it. */
export interface SearchedShop extends EditionShop {
  readonly view: View
  /** How many products the shop has. */
  readonly products: number
}

/** The values of a field: rows `v`, each of the product `v.id`. */
export interface FieldRows {
  /** SQL of the rows. The call binds the values that it needs. */
  from(): string
  /** SQL of the value to compare, as text and as a number. */
  readonly text?: string
  readonly number?: string
  /** The number of decimal places of the stored number. */
  readonly scale?: number
}

/** Binds the first values of every statement about a shop, after the store. */
export const bindShop = ({ catalogId, edition }: EditionShop): Binds =>
  new Binds([undefined, catalogId, edition])

const rowsSql = (table: string) =>
  `${table} v WHERE v.store_id = $1 AND v.catalog_id = $2 AND ${inEdition('$3::int', 'v')}`

/** The values of a field; undefined if only its words are stored. */
export function findValues(field: SearchField, shop: EditionShop, bind: Bind): FieldRows | undefined {
  switch (field.in) {
    case 'column':
      return {
        from: () => `${rowsSql('published_products')} AND v.listed_in = $2 AND v.${field.column} IS NOT NULL`,
        text: `v.${field.column}`,
      }
    case 'values':
      return {
        from: () => `${rowsSql('published_numbers')} AND v.field = ${bind(field.name)}`,
        number: 'v.number',
      }
    case 'prices': {
      const { currency, scale } = priceUnit(field, shop)
      return { from: () => priceRowsSql(currency, shop, bind), number: 'v.amount', scale }
    }
    case 'words':
      return undefined
  }
}

/** The currency of a field of prices, and with how many decimal places it is compared. */
export function priceUnit(
  { currency: named, whole }: PriceField,
  { currency: own, decimals }: EditionShop,
): { readonly currency: string; readonly scale: number } {
  const currency = named ?? own
  return { currency, scale: whole ? 0 : (decimals.get(currency) ?? 2) }
}

/** The prices in a currency that some price books say at any time. */
export const spansSql = (currency: string, { books }: EditionShop, bind: Bind): string =>
  `${rowsSql('published_price_spans')} AND v.pricebook_id = ANY(${bind(books)}::uuid[])
   AND v.currency = ${bind(currency)} AND v.amount IS NOT NULL`

/** The amounts of a currency: for each product, those of the strongest price book that prices it. */
export function priceRowsSql(currency: string, shop: EditionShop, bind: Bind): string {
  const now = bind(shop.at)
  return `${spansSql(currency, shop, bind)}
    AND v.valid_from <= ${now}::timestamptz AND v.valid_to > ${now}::timestamptz${strongestSql(shop, bind)}`
}

function strongestSql({ books }: EditionShop, bind: Bind): string {
  if (books.length < 2) return ''
  const bookIds = bind(books)
  const place = (row: string) => `array_position(${bookIds}::uuid[], ${row}.pricebook_id)`
  return ` AND NOT EXISTS (
    SELECT FROM published_price_spans o
    WHERE o.store_id = $1 AND o.catalog_id = $2 AND o.id = v.id AND ${inEdition('$3::int', 'o')}
      AND ${place('o')} < ${place('v')})`
}
