import { broughtBy, hasEnded, inEdition } from '../../kernel/storage/editions.ts'
import { componentProducts } from '../sources/published-product.ts'
import type { CatalogEdition, EditionStore } from './editions.ts'

/** How many are read together. */
const chunkMax = 1000

type PricedEdition = Pick<CatalogEdition, 'catalogId' | 'edition' | 'sources'>

/**
 * The listed products that differ from the previous edition, or have other prices: those with a new row or price, or
 * whose parent has a new price; those that a changed modifier affects; and bundles of all these. They are looked up
 * by their keys in portions. Right after publishing PostgreSQL may not have analyzed the rows yet, and would join all
 * of them with all.
 */
export async function repricedProducts(store: EditionStore, of: PricedEdition): Promise<readonly string[]> {
  const changed = (first: string, table: string) =>
    firstsOf(
      store.runLong(
        `SELECT DISTINCT ${first} FROM ${table} WHERE store_id = $1 AND catalog_id = $2
           AND (${broughtBy(of.edition, '$3')} OR until = $3 AND ${hasEnded()})`,
        of.catalogId,
        of.edition,
      ),
    )
  // Clients may have read the delta of the previous edition before these were added.
  const delayed = async (first: string, table: string) =>
    of.sources.delayedPricebookIds?.length
      ? firstsOf(
          store.runLong(
            `SELECT DISTINCT ${first} FROM ${table} WHERE store_id = $1 AND catalog_id = $2
               AND ${inEdition('$3::int')} AND pricebook_id = ANY($4::uuid[])`,
            of.catalogId,
            of.edition,
            of.sources.delayedPricebookIds,
          ),
        )
      : []
  const both = async (first: string, table: string) => [
    ...(await changed(first, table)),
    ...(await delayed(first, table)),
  ]
  const products = having(store, of, 'published_products', 'id')
  const priced = await products('sku', await both('sku', 'published_prices'))
  const ids = new Set([
    ...(await changed('id', 'published_products')),
    ...priced,
    ...(await products('parent_id', priced)),
    ...(await modified(store, of, await both('name', 'published_price_modifiers'))),
  ])
  const bundlesOf = having(store, of, bundles, 'bundle_id')
  for (let parts = [...ids]; parts.length; ) {
    parts = (await bundlesOf('id', parts)).filter((id) => !ids.has(id))
    for (const id of parts) ids.add(id)
  }
  return (await products('id', [...ids], 'listed_in IS NOT NULL')).toSorted()
}

const firstsOf = async (rows: ReturnType<EditionStore['run']>): Promise<readonly string[]> =>
  (await rows).map(([first]) => first as string)

/** Bundles and their options. */
const bundles = `(
  SELECT b.store_id, b.catalog_id, b.since, b.until, b.id AS bundle_id, r.id FROM published_relations r
  JOIN published_products b
    ON b.store_id = r.store_id AND b.catalog_id = r.catalog_id AND b.id = r.product_id AND b.since = r.since
  WHERE r.name = '${componentProducts}') bundles`

const types = { id: 'uuid', sku: 'text', parent_id: 'uuid' } as const

/** Finds rows of the edition by the values of a column. */
const having =
  (store: EditionStore, { catalogId, edition }: PricedEdition, table: string, first: string) =>
  async (column: keyof typeof types, values: readonly string[], more = 'true'): Promise<string[]> => {
    const ids = new Set<string>()
    for (let from = 0; from < values.length; from += chunkMax) {
      const rows = store.run(
        `SELECT ${first} FROM unnest($4::${types[column]}[]) AS input (value) JOIN ${table} ON ${column} = input.value
         WHERE store_id = $1 AND catalog_id = $2 AND ${inEdition('$3')} AND ${more}`,
        catalogId,
        edition,
        values.slice(from, from + chunkMax),
      )
      for (const id of await firstsOf(rows)) ids.add(id)
    }
    return [...ids]
  }

/** The children that name one of these price modifiers. */
async function modified(
  store: EditionStore,
  { catalogId, edition }: PricedEdition,
  names: readonly string[],
): Promise<readonly string[]> {
  if (!names.length) return []
  return firstsOf(
    store.runLong(
      `SELECT id FROM published_products p
       WHERE store_id = $1 AND catalog_id = $2 AND ${inEdition('$3')} AND parent_id IS NOT NULL AND EXISTS (
         SELECT FROM json_array_elements_text(p.doc->'attributes'->'price_modifiers') AS own (modifier)
         WHERE own.modifier = ANY($4::text[]))`,
      catalogId,
      edition,
      names,
    ),
  )
}
