import { priceSpans } from './price-spans.ts'
import { modifiersOf, type Priceable, type PriceSource, pricedProducts } from './priced-products.ts'
import type { Publication } from './publication.ts'
import { insertSpans, storedPrices } from './publish-price-spans.ts'

/** So many products are looked at together. */
const chunkMax = 1000

/** More spans no product has by the price books of one addition. */
const placesMax = 100_000

/** Price books that are added to an edition after it was published. */
export interface Addition extends Pick<Publication, 'work' | 'catalogId' | 'edition' | 'pricebookIds'> {
  /** How many were made to this edition, this one included. */
  readonly additions: number
}

/**
 * The effective prices of the listed products by these price books. Nothing is looked up that the transaction writes:
 * see docs/decisions/0025-releases.md.
 */
export async function publishAddedPriceSpans(addition: Addition): Promise<void> {
  const source = await addedSource(addition)
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const products = await listedAfter(addition, after)
    const ids = [...products.keys()]
    const last = ids.at(-1)
    if (last === undefined) return
    after = last
    const pricedBy = await pricedProducts(source, products)
    const found = ids.flatMap((id) => {
      const spans = addition.pricebookIds.flatMap((book) => {
        const priced = pricedBy(book, id)
        return priced ? priceSpans(priced) : []
      })
      return spans.length ? [{ id, spans }] : []
    })
    await insertSpans(addition, found, addition.additions * placesMax)
  }
}

const columns = `id, json_build_object('sku', doc->'attributes'->'sku', 'price_modifiers',
    coalesce(doc->'attributes'->'price_modifiers', '[]'::json)),
  json_build_object('bundle_configuration', doc->'meta'->'bundle_configuration'), hidden->>'parent_sku'`

const inEdition = 'store_id = $1 AND catalog_id = $2 AND since <= $3::int AND until > $3::int'

type Rows = Awaited<ReturnType<Publication['work']['store']['rows']>>

const toProducts = (rows: Rows): ReadonlyMap<string, Priceable> =>
  new Map(
    rows.map(([id, attributes, meta, parentSku]) => [
      id as string,
      {
        doc: {
          attributes: JSON.parse(attributes as string),
          meta: JSON.parse(meta as string),
          relationships: {},
        },
        hidden: { parent_sku: parentSku ?? undefined },
      },
    ]),
  )

async function listedAfter({ work, catalogId, edition }: Addition, after: string) {
  // A bundle that cannot be bought has no price.
  const rows = await work.store.bulk(
    `SELECT ${columns} FROM published_products
     WHERE ${inEdition} AND id > $4 AND listed_in IS NOT NULL AND hidden->'unfilled' IS NULL
     ORDER BY id LIMIT ${chunkMax}`,
    catalogId,
    edition,
    after,
  )
  return toProducts(rows)
}

/** Prices as the merchant has them, and products as the edition has them. */
async function addedSource(addition: Addition): Promise<PriceSource> {
  const { work, catalogId, edition, pricebookIds } = addition
  return {
    modifiers: await modifiersOf(work, pricebookIds),
    pricesOf: storedPrices(addition),
    productsOf: async (ids) =>
      toProducts(
        await work.store.rows(
          `SELECT ${columns} FROM published_products WHERE ${inEdition} AND id = ANY($4::uuid[])`,
          catalogId,
          edition,
          ids,
        ),
      ),
  }
}
