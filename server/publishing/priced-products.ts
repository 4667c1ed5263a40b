import type { Work } from '../kernel/context.ts'
import type { StoredModifier, StoredPrice } from '../pricebooks/index.ts'
import type { Priced } from './price-spans.ts'
import type { Publication } from './publication.ts'
import { type Wanted, wantedProducts } from './wanted-products.ts'

/** What is published of a product as far as its price goes by it. */
interface Product {
  readonly sku: string | undefined
  readonly parentSku: string | undefined
  readonly modifierNames: readonly string[]
  /** Of a bundle: what is chosen of it where a shopper chooses nothing. */
  readonly chosen: readonly { readonly id: string; readonly quantity: number }[]
}

/** Price modifiers: by price book, then by name. */
export type Modifiers = ReadonlyMap<string, Readonly<Record<string, StoredModifier>>>

/** A bundle may be an option of another one, and no further. */
const depthMax = 2

export async function modifiersOf({ store }: Work, pricebookIds: readonly string[]): Promise<Modifiers> {
  const rows = await store.bulk(
    `SELECT pricebook_id, json_object_agg(name, doc->'attributes') FROM price_modifiers
     WHERE store_id = $1 AND pricebook_id = ANY($2::uuid[]) GROUP BY pricebook_id`,
    pricebookIds,
  )
  return new Map(rows.map(([book, byName]) => [book as string, JSON.parse(byName as string)]))
}

/**
 * How products are priced by a price book. The prices of all books are read at once, and from where they are kept: they
 * are of the same moment as what is published.
 */
export async function pricedProducts(
  publication: Publication,
  wanted: ReadonlyMap<string, Wanted>,
): Promise<(pricebookId: string, id: string) => Priced | undefined> {
  const products = await withOptions(publication, wanted)
  const prices = await pricesOf(publication, [...products.values()])
  const { modifiers } = publication
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
  wanted: ReadonlyMap<string, Wanted>,
): Promise<ReadonlyMap<string, Product>> {
  const products = new Map([...wanted].map(([id, product]) => [id, productOf(product)]))
  let last = [...products.values()]
  for (let depth = 0; depth < depthMax; depth++) {
    const chosen = last.flatMap((product) => product.chosen.map(({ id }) => id))
    const next = [...new Set(chosen)].filter((id) => !products.has(id))
    if (!next.length) break
    last = []
    for (const [id, found] of await wantedProducts(publication, next)) {
      const product = productOf(found)
      products.set(id, product)
      last.push(product)
    }
  }
  return products
}

function productOf({ published: { doc, hidden } }: Wanted): Product {
  const { sku, price_modifiers = [] } = doc.attributes as Priceable
  const { selected_options = {} } = (doc.meta.bundle_configuration ?? {}) as Chosen
  return {
    sku: sku ?? undefined,
    parentSku: hidden.parent_sku,
    modifierNames: price_modifiers,
    chosen: Object.values(selected_options).flatMap((options) =>
      Object.entries(options).map(([id, quantity]) => ({ id, quantity })),
    ),
  }
}

interface Priceable {
  readonly sku?: string | null
  readonly price_modifiers?: readonly string[]
}

interface Chosen {
  readonly selected_options?: Readonly<Record<string, Readonly<Record<string, number>>>>
}

/** By price book, then by SKU. */
async function pricesOf(
  { work, pricebookIds }: Publication,
  products: readonly Product[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, StoredPrice>>> {
  const skus = products.flatMap(({ sku, parentSku }) => [sku ?? [], parentSku ?? []].flat())
  const rows = await work.store.rows(
    `SELECT pricebook_id, sku, doc->'attributes' FROM prices
     WHERE store_id = $1 AND pricebook_id = ANY($2::uuid[]) AND sku = ANY($3::text[])`,
    pricebookIds,
    [...new Set(skus)],
  )
  const prices = new Map<string, Map<string, StoredPrice>>()
  for (const [book, sku, doc] of rows) {
    const known = prices.get(book as string) ?? new Map<string, StoredPrice>()
    prices.set(book as string, known.set(sku as string, JSON.parse(doc as string) as StoredPrice))
  }
  return prices
}
