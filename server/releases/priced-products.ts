import type { StoredModifier, StoredPrice } from '../pricebooks/index.ts'
import type { Priced } from './price-spans.ts'
import type { Publication } from './publication.ts'

/** What is published of a product as far as its price goes by it. */
interface Product {
  readonly sku: string | undefined
  readonly parentSku: string | undefined
  readonly modifierNames: readonly string[]
  /** Of a bundle: what is chosen of it where a shopper chooses nothing. */
  readonly chosen: readonly { readonly id: string; readonly quantity: number }[]
}

/** The modifiers that are published: by price book, then by name. */
export type Modifiers = ReadonlyMap<string, Readonly<Record<string, StoredModifier>>>

/** A bundle may be an option of another one, and no further. */
const depthMax = 2

/** How published products are priced by a price book. The prices of all books are read at once. */
export async function pricedProducts(
  publication: Publication,
  ids: readonly string[],
  modifiers: Modifiers,
): Promise<(pricebookId: string, id: string) => Priced | undefined> {
  const products = await withOptions(publication, ids)
  const prices = await pricesOf(publication, [...products.values()])
  const priced = (
    pricebookId: string,
    id: string,
    depth: number,
    bundleIds: readonly string[],
  ): Priced | undefined => {
    const product = products.get(id)
    if (!product) return undefined
    const priceOf = (sku: string | undefined) =>
      sku === undefined ? undefined : prices.get(pricebookId)?.get(sku)
    return {
      book: {
        pricebookId,
        price: priceOf(product.sku),
        parentPrice: priceOf(product.parentSku),
        modifiers: modifiers.get(pricebookId),
      },
      modifierNames: product.modifierNames,
      bundleIds,
      parts: product.chosen.map((part) => ({
        quantity: part.quantity,
        priced: depth < depthMax ? priced(pricebookId, part.id, depth + 1, [id]) : undefined,
      })),
    }
  }
  return (pricebookId, id) => priced(pricebookId, id, 0, [])
}

async function withOptions(
  publication: Publication,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Product>> {
  const products = new Map<string, Product>()
  let next = ids
  for (let depth = 0; depth <= depthMax && next.length; depth++) {
    const found = await productsOf(publication, next)
    for (const [id, product] of found) products.set(id, product)
    const chosen = found.flatMap(([, product]) => product.chosen.map(({ id }) => id))
    next = [...new Set(chosen)].filter((id) => !products.has(id))
  }
  return products
}

async function productsOf(
  { work, catalogId }: Publication,
  ids: readonly string[],
): Promise<readonly (readonly [string, Product])[]> {
  const rows = await work.store.rows(
    `SELECT id, sku, hidden->>'parent_sku', doc->'attributes'->'price_modifiers',
       doc->'meta'->'bundle_configuration'->'selected_options' FROM published_products
     WHERE store_id = $1 AND catalog_id = $2 AND id = ANY($3::uuid[]) AND until = 2147483647`,
    catalogId,
    ids,
  )
  return rows.map(([id, sku, parentSku, names, selected]) => [
    id as string,
    {
      sku: sku ?? undefined,
      parentSku: parentSku ?? undefined,
      modifierNames: JSON.parse(names ?? '[]') as string[],
      chosen: Object.values(JSON.parse(selected ?? '{}') as Record<string, Record<string, number>>).flatMap(
        (options) => Object.entries(options).map(([id, quantity]) => ({ id, quantity })),
      ),
    },
  ])
}

/** By price book, then by SKU. */
async function pricesOf(
  { work, catalogId }: Publication,
  products: readonly Product[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, StoredPrice>>> {
  const skus = products.flatMap(({ sku, parentSku }) => [sku ?? [], parentSku ?? []].flat())
  const rows = await work.store.rows(
    // Row by row, by the index: of what is not analyzed yet PostgreSQL thinks that a thousand SKUs are all there are.
    `SELECT pricebook_id, sku, doc FROM unnest($3::text[]) AS wanted (wanted_sku) JOIN published_prices ON sku = wanted_sku
     WHERE store_id = $1 AND catalog_id = $2 AND until = 2147483647`,
    catalogId,
    [...new Set(skus)],
  )
  const prices = new Map<string, Map<string, StoredPrice>>()
  for (const [book, sku, doc] of rows) {
    const known = prices.get(book as string) ?? new Map<string, StoredPrice>()
    prices.set(book as string, known.set(sku as string, JSON.parse(doc as string) as StoredPrice))
  }
  return prices
}
