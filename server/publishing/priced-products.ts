import type { Work } from '../kernel/work/context.ts'
import type { StoredModifier, StoredPrice } from '../pricebooks/index.ts'
import type { Priced } from './price-spans.ts'
import type { PublishedProduct } from './published-product.ts'

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

/** What of a published product its price depends on. */
export type Priceable = Pick<PublishedProduct, 'doc'> & {
  readonly hidden: Pick<PublishedProduct['hidden'], 'parent_sku'>
}

type ById = ReadonlyMap<string, Priceable>

/** Where prices come from. */
export interface PriceSource {
  readonly modifiers: Modifiers
  /** By price book, then by SKU. */
  pricesOf(skus: readonly string[]): Promise<PricesByBook>
  /** The products with these ids, as they are published. */
  productsOf(ids: readonly string[]): Promise<ById>
}

export type PricesByBook = ReadonlyMap<string, ReadonlyMap<string, StoredPrice>>

/** How products are priced by a price book. The prices of all books are read at once. */
export async function pricedProducts(
  source: PriceSource,
  published: ById,
): Promise<(pricebookId: string, id: string) => Priced | undefined> {
  const products = await withOptions(source, published)
  const prices = await source.pricesOf(skusOf([...products.values()]))
  const { modifiers } = source
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

async function withOptions(source: PriceSource, published: ById): Promise<ReadonlyMap<string, Product>> {
  const products = new Map([...published].map(([id, product]) => [id, productOf(product)]))
  let last = [...products.values()]
  for (let depth = 0; depth < depthMax; depth++) {
    const chosen = last.flatMap((product) => product.chosen.map(({ id }) => id))
    const next = [...new Set(chosen)].filter((id) => !products.has(id))
    if (!next.length) break
    last = []
    for (const [id, found] of await source.productsOf(next)) {
      const product = productOf(found)
      products.set(id, product)
      last.push(product)
    }
  }
  return products
}

function productOf({ doc, hidden }: Priceable): Product {
  const { sku, price_modifiers = [] } = doc.attributes as Sold
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

interface Sold {
  readonly sku?: string | null
  readonly price_modifiers?: readonly string[]
}

interface Chosen {
  readonly selected_options?: Readonly<Record<string, Readonly<Record<string, number>>>>
}

const skusOf = (products: readonly Product[]): readonly string[] => [
  ...new Set(products.flatMap(({ sku, parentSku }) => [sku ?? [], parentSku ?? []].flat())),
]

/** From rows of a price book, a SKU and a price. */
export function pricesByBook(rows: Awaited<ReturnType<Work['store']['rows']>>): PricesByBook {
  const prices = new Map<string, Map<string, StoredPrice>>()
  for (const [book, sku, doc] of rows) {
    const known = prices.get(book as string) ?? new Map<string, StoredPrice>()
    prices.set(book as string, known.set(sku as string, JSON.parse(doc as string) as StoredPrice))
  }
  return prices
}
