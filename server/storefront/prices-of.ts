import { inEdition } from '../kernel/storage/editions.ts'
import type { Work } from '../kernel/work/context.ts'
import {
  type BookPrices,
  type PriceQuestion,
  type Resolution,
  resolvePrice,
  type StoredModifier,
  type StoredPrice,
} from '../pricebooks/index.ts'
import type { PublishedRow } from './published-row.ts'
import type { View } from './view.ts'
import { EditionGone } from './whole-edition.ts'

/** The published prices of some products, read by one statement. */
export interface Prices {
  /** What a product costs, also as an option of a bundle, and why. */
  of(product: PublishedRow, bundleIds?: readonly string[]): Resolution
  /** What a price book says of a product itself; undefined where it says nothing. */
  in(pricebookId: string, product: PublishedRow): StoredPrice | undefined
  /** The same by the catalog's own price books, where others count. */
  readonly list?: Prices
}

/**
 * The prices of these products, in all price books that are looked at. The products were read before: that their
 * edition is still there is read with the prices.
 */
export async function pricesOf(
  work: Pick<Work, 'store'>,
  view: Pick<View, 'published' | 'books' | 'listBooks' | 'unpublishedBooks' | 'at' | 'availableBooks'>,
  products: readonly PublishedRow[],
): Promise<Prices> {
  const { books, listBooks, at, availableBooks = [] } = view
  const skus = products.flatMap(({ doc, facts }) => [doc.attributes.sku ?? [], facts.parent_sku ?? []].flat())
  const names = products.flatMap(({ doc }) => doc.attributes.price_modifiers ?? [])
  const [prices, modifiers] = await stored(work, view, {
    books: [...new Set([...books, ...(listBooks ?? []), ...availableBooks])],
    skus: [...new Set(skus)],
    names: [...new Set(names)],
  })
  const priceIn = (book: string, sku: string | undefined) =>
    sku === undefined ? undefined : prices.get(book)?.[sku]
  const inBook = (pricebookId: string, { doc, facts }: PublishedRow): BookPrices => ({
    pricebookId,
    price: priceIn(pricebookId, doc.attributes.sku),
    parentPrice: priceIn(pricebookId, facts.parent_sku),
    modifiers: modifiers.get(pricebookId),
  })
  const pricesBy = (books: readonly string[]): Prices => ({
    of: (product, bundleIds) => {
      const modifierNames = product.doc.attributes.price_modifiers
      const question: PriceQuestion = {
        books: books.map((book) => inBook(book, product)),
        modifierNames,
        at,
        bundleIds,
      }
      return resolvePrice(question)
    },
    in: (pricebookId, product) => {
      const { price, parentPrice } = inBook(pricebookId, product)
      return price ?? parentPrice
    },
  })
  return { ...pricesBy(books), ...(listBooks && { list: pricesBy(listBooks) }) }
}

interface Wanted {
  readonly books: readonly string[]
  readonly skus: readonly string[]
  readonly names: readonly string[]
}

/** `$4` are price books, `$5` SKUs, `$6` the names of price modifiers and `$7` their beginnings. */
export const pricesSql = `
  SELECT 'price', pricebook_id, sku, doc FROM published_prices
  WHERE store_id = $1 AND catalog_id = $2 AND ${inEdition('$3::int')}
    AND sku = ANY($5::text[]) AND pricebook_id = ANY($4::uuid[])
  UNION ALL
  SELECT 'modifier', pricebook_id, name, doc FROM published_price_modifiers
  WHERE store_id = $1 AND catalog_id = $2 AND ${inEdition('$3::int')}
    AND pricebook_id = ANY($4::uuid[]) AND left(name, 128) = ANY($7::text[]) AND name = ANY($6::text[])
  UNION ALL
  SELECT 'edition', release_id, '', NULL FROM catalog_editions
  WHERE store_id = $1 AND catalog_id = $2 AND edition = $3::int AND NOT withdrawn`

/** The same of price books as they are now: `$2` are price books, `$3` SKUs and `$4` the names of modifiers. */
const unpublishedSql = `
  SELECT 'price', pricebook_id, sku, doc->'attributes' FROM prices
  WHERE store_id = $1 AND pricebook_id = ANY($2::uuid[]) AND sku = ANY($3::text[])
  UNION ALL
  SELECT 'modifier', pricebook_id, name, doc->'attributes' FROM price_modifiers
  WHERE store_id = $1 AND pricebook_id = ANY($2::uuid[]) AND name = ANY($4::text[])`

type ByBook<T> = ReadonlyMap<string, Readonly<Record<string, T>>>

async function stored(
  { store }: Pick<Work, 'store'>,
  {
    published: { catalogId, edition, releaseId },
    unpublishedBooks,
  }: Pick<View, 'published' | 'unpublishedBooks'>,
  { books, skus, names }: Wanted,
): Promise<[prices: ByBook<StoredPrice>, modifiers: ByBook<StoredModifier>]> {
  if (!books.length || !skus.length) return [new Map(), new Map()]
  const values = [
    catalogId,
    edition,
    books,
    skus,
    names,
    names.map((name) => [...name].slice(0, 128).join('')),
  ]
  const published = await store.page({ text: pricesSql, values: [store.id, ...values], page: true })
  const others = unpublishedBooks ? await store.rows(unpublishedSql, unpublishedBooks, skus, names) : []
  const rows = [...published, ...others]
  if (!rows.some(([what, release]) => what === 'edition' && release === releaseId)) throw new EditionGone()
  const told = <T>(kind: string): ByBook<T> => {
    const byBook = new Map<string, Record<string, T>>()
    for (const [what, book, name, doc] of rows) {
      if (what !== kind) continue
      const known = byBook.get(book as string) ?? Object.create(null)
      byBook.set(book as string, known)
      known[name as string] = JSON.parse(doc as string)
    }
    return byBook
  }
  return [told<StoredPrice>('price'), told<StoredModifier>('modifier')]
}
