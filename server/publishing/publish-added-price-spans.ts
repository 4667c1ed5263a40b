import { priceSpans } from './price-spans.ts'
import {
  modifiersByBook,
  type Priceable,
  type PriceSource,
  pricedProducts,
  pricesByBook,
} from './priced-products.ts'
import type { Publication } from './publication.ts'
import { insertSpans } from './publish-price-spans.ts'

/** So many products are looked at together. */
const chunkMax = 1000

/** Price books that are added to an edition after it was published. */
export type Addition = Pick<Publication, 'work' | 'catalogId' | 'edition' | 'pricebookIds'>

/** The effective prices of the listed products by these price books, whose prices the edition has. */
export async function publishAddedPriceSpans(addition: Addition): Promise<void> {
  const source = await publishedSource(addition)
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
    const taken = await takenPlaces(
      addition,
      found.map(({ id }) => id),
    )
    await insertSpans(
      addition,
      found.map(({ id, spans }) => ({ id, spans, first: taken.get(id) ?? 0 })),
    )
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
  const rows = await work.store.bulk(
    `SELECT ${columns} FROM published_products
     WHERE ${inEdition} AND id > $4 AND listed_in IS NOT NULL ORDER BY id LIMIT ${chunkMax}`,
    catalogId,
    edition,
    after,
  )
  return toProducts(rows)
}

/** Prices and products as the edition has them. */
async function publishedSource({ work, catalogId, edition, pricebookIds }: Addition): Promise<PriceSource> {
  const of = [catalogId, edition]
  const modifiers = await work.store.bulk(
    `SELECT pricebook_id, json_object_agg(name, doc) FROM published_price_modifiers
     WHERE ${inEdition} AND pricebook_id = ANY($4::uuid[]) GROUP BY pricebook_id`,
    ...of,
    pricebookIds,
  )
  return {
    modifiers: modifiersByBook(modifiers),
    pricesOf: async (skus) =>
      pricesByBook(
        await work.store.bulk(
          `SELECT pricebook_id, sku, doc FROM published_prices
           WHERE ${inEdition} AND pricebook_id = ANY($4::uuid[]) AND sku = ANY($5::text[])`,
          ...of,
          pricebookIds,
          skus,
        ),
      ),
    productsOf: async (ids) =>
      toProducts(
        await work.store.rows(
          `SELECT ${columns} FROM published_products WHERE ${inEdition} AND id = ANY($4::uuid[])`,
          ...of,
          ids,
        ),
      ),
  }
}

/** How many places products have in the edition by other price books. */
async function takenPlaces({ work, catalogId, edition }: Addition, ids: readonly string[]) {
  const rows = await work.store.rows(
    `SELECT id, max(place) + 1 FROM published_price_spans WHERE ${inEdition} AND id = ANY($4::uuid[]) GROUP BY id`,
    catalogId,
    edition,
    ids,
  )
  return new Map(rows.map(([id, first]) => [id as string, Number(first)]))
}
