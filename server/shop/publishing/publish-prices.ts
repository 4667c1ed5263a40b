import { inEdition, isCurrent } from '../../kernel/storage/editions.ts'
import type { Work } from '../../kernel/work/context.ts'
import { type PriceSource, priceKeysOf, readLivePrices, toPriceTable } from '../../prices/index.ts'
import type { Publication } from '../sources/publication.ts'
import { type CatalogEdition, EditionGone } from './editions.ts'

interface Tables {
  readonly from: 'prices' | 'price_modifiers'
  readonly into: string
  /** The key column. */
  readonly keyColumn: string
}

const ofPrices: Tables = { from: 'prices', into: 'published_prices', keyColumn: 'sku' }
const ofModifiers: Tables = {
  from: 'price_modifiers',
  into: 'published_price_modifiers',
  keyColumn: 'name',
}

/** Publishes the prices and price modifiers of the catalog's price books. */
export async function publishPrices(publication: Publication): Promise<void> {
  const { work, catalogId, edition, pricebookIds, isFirst } = publication
  const among = [catalogId, edition, pricebookIds]
  for (const tables of [ofPrices, ofModifiers]) {
    if (!isFirst) await work.store.runLong(end(tables), ...among)
    await work.store.runLong(begin(tables, isFirst ? 'true' : unpublished(tables)), ...among)
  }
}

/** Publishes price books that an edition does not have yet, with their current prices. */
export async function publishAddedPrices({
  work,
  catalogId,
  edition,
  pricebookIds,
}: Pick<Publication, 'work' | 'catalogId' | 'edition' | 'pricebookIds'>): Promise<void> {
  for (const tables of [ofPrices, ofModifiers]) {
    await work.store.runLong(begin(tables, 'true'), catalogId, edition, pricebookIds)
  }
}

/** The keys of changed prices. */
export interface ChangedPriceKeys {
  readonly skus: readonly string[]
  /** The names of price modifiers. */
  readonly modifiers: readonly string[]
}

/** As `publishPrices`, limited to the changes in the feed after a position. */
export async function publishChangedPrices(
  publication: Publication,
  position: number,
): Promise<ChangedPriceKeys> {
  return {
    skus: await publishChanged(publication, position, ofPrices),
    modifiers: await publishChanged(publication, position, ofModifiers),
  }
}

async function publishChanged(
  { work, catalogId, edition, pricebookIds }: Publication,
  position: number,
  tables: Tables,
): Promise<readonly string[]> {
  const changed = await work.store.runLong(
    'SELECT DISTINCT id FROM changes WHERE store_id = $1 AND position > $2 AND source = $3',
    position,
    tables.from,
  )
  if (!changed.length) return []
  const among = [catalogId, edition, pricebookIds, changed.map(([id]) => id)]
  const returning = `RETURNING ${tables.keyColumn}`
  const ended = await work.store.runLong(`${end(tables, 'p.id = ANY($5::uuid[])')} ${returning}`, ...among)
  const chosen = `s.id = ANY($5::uuid[]) AND ${unpublished(tables)}`
  const begun = await work.store.runLong(`${begin(tables, chosen)} ${returning}`, ...among)
  return [...new Set([...ended, ...begun].map(([name]) => name as string))]
}

/** Ends rows whose version changed, or whose price book is no longer among these. */
const end = ({ from, into }: Tables, which = 'true') =>
  `UPDATE ${into} p SET until = $3::int
   WHERE p.store_id = $1 AND p.catalog_id = $2 AND ${isCurrent('p')} AND ${which} AND NOT EXISTS (
     SELECT FROM ${from} s WHERE s.store_id = $1 AND s.id = p.id AND s.version = p.version
       AND s.pricebook_id = p.pricebook_id AND s.pricebook_id = ANY($4::uuid[]))`

const begin = ({ from, into, keyColumn }: Tables, which: string) =>
  `INSERT INTO ${into} (store_id, catalog_id, since, id, pricebook_id, ${keyColumn}, version, doc)
   SELECT $1, $2, $3::int, s.id, s.pricebook_id, s.${keyColumn}, s.version, s.doc->'attributes' FROM ${from} s
   WHERE s.store_id = $1 AND s.pricebook_id = ANY($4::uuid[]) AND ${which}`

const unpublished = ({ into }: Tables) => `NOT EXISTS (
  SELECT FROM ${into} p WHERE p.store_id = $1 AND p.catalog_id = $2 AND p.id = s.id AND ${isCurrent('p')})`

/**
 * Reads the price books of an edition of a catalog. `livePricebookIds` are not in the edition, so they are read as
 * the merchant has them now. Throws `EditionGone` if the edition was rolled back, so read prices after products.
 */
export const publishedPrices =
  (
    work: Pick<Work, 'store'>,
    { catalogId, edition, releaseId }: CatalogEdition,
    livePricebookIds: readonly string[] = [],
  ): PriceSource =>
  async (pricebookIds, items) => {
    const keys = priceKeysOf(items)
    const { skus, modifierNames } = keys
    if (!pricebookIds.length || !skus.length) return toPriceTable([])
    const { store } = work
    const names = [modifierNames, modifierNames.map((name) => [...name].slice(0, 128).join(''))]
    const values = [store.id, catalogId, edition, pricebookIds, skus, ...names]
    const published = await store.page({ text: pricesSql, values, page: true })
    const live = await readLivePrices(work, livePricebookIds, keys)
    if (!published.some(([kind, release]) => kind === 'edition' && release === releaseId)) {
      throw new EditionGone()
    }
    return toPriceTable([...published, ...live])
  }

/** `$4` are price books, `$5` SKUs, `$6` names of price modifiers and `$7` their first 128 characters. */
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
