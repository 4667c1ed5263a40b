import { BinaryArray } from '../../kernel/storage/binary-arrays.ts'
import { columns, json, optionalText } from '../../kernel/storage/columns.ts'
import { inEdition, isCurrent } from '../../kernel/storage/editions.ts'
import { isoTime } from '../../kernel/storage/expressions.ts'
import { inParts } from '../../kernel/storage/sized-parts.ts'
import { type Item, livePrices, type PriceSpan, priceSpans, withParts } from '../../prices/index.ts'
import { findPublishable, type Publishable } from '../sources/find-publishable.ts'
import { sizedProducts } from '../sources/product-sources.ts'
import type { Publication } from '../sources/publication.ts'
import { type Priceable, publishedItem } from '../sources/published-item.ts'

/** The effective prices of products that differ in this edition. */
export interface PreparedSpans {
  readonly ended: readonly string[]
  readonly begun: readonly ProductSpans[]
}

interface ProductSpans {
  readonly id: string
  readonly spans: readonly PriceSpan[]
}

/** Compares the effective prices of listed products with those that are published. Reads only. */
export async function preparePriceSpans(
  publication: Publication,
  ids: readonly string[],
  publishable: ReadonlyMap<string, Publishable>,
): Promise<PreparedSpans> {
  const items = itemsOf(publishable)
  const find = async (ids: readonly string[]) => {
    const parts: Item[] = []
    for await (const part of inParts(publication.work.store, sizedProducts, ids)) {
      parts.push(...itemsOf(await findPublishable(publication, part)).values())
    }
    return parts
  }
  const spans = await findPriceSpans(publication, [...items.values()], find)
  const spansOf = (id: string): readonly PriceSpan[] => {
    const item = items.get(id)
    return item && isSold(publishable.get(id)) ? spans(item) : []
  }
  const open = publication.isFirst ? none : await openSpans(publication, ids)
  const begun = ids
    .map((id) => ({ id, spans: spansOf(id) }))
    .filter(({ id, spans }) => JSON.stringify(spans) !== (open.get(id) ?? '[]'))
  return { ended: begun.flatMap(({ id }) => (open.has(id) ? id : [])), begun }
}

/** Writes what `preparePriceSpans` found. */
export async function writePriceSpans(
  publication: Publication,
  { ended, begun }: PreparedSpans,
): Promise<void> {
  const { work, catalogId, edition } = publication
  if (ended.length) {
    await work.store.runLong(
      `UPDATE published_price_spans SET until = $4::int
       WHERE store_id = $1 AND catalog_id = $2 AND id = ANY($3::uuid[]) AND ${isCurrent()}`,
      catalogId,
      ended,
      edition,
    )
  }
  await insertSpans(publication, begun)
}

/**
 * Inserts the spans of products. `first` is the place of the first span of each, because the edition may already
 * have some.
 */
async function insertSpans(
  { work, catalogId, edition }: Pick<Publication, 'work' | 'catalogId' | 'edition'>,
  products: readonly ProductSpans[],
  first = 0,
): Promise<void> {
  const ids = new BinaryArray('uuid')
  const places = new BinaryArray('int4')
  const pricebookIds = new BinaryArray('uuid')
  const currencies = new BinaryArray('text')
  const amounts = new BinaryArray('int8')
  const starts = new BinaryArray('timestamptz')
  const ends = new BinaryArray('timestamptz')
  for (const { id, spans } of products) {
    for (const [i, { pricebookId, currency, amount, from, to }] of spans.entries()) {
      ids.add(id)
      places.add(first + i)
      pricebookIds.add(pricebookId)
      currencies.add(currency)
      amounts.add(amount)
      starts.add(from)
      ends.add(to)
    }
  }
  if (!ids.count) return
  const columns = [ids, places, pricebookIds, currencies, amounts, starts, ends]
  await work.store.runLong(
    `INSERT INTO published_price_spans (store_id, catalog_id, since, id, place, pricebook_id, currency, amount, valid_from, valid_to)
     SELECT $1, $2, $3::int, * FROM
       unnest($4::uuid[], $5::int[], $6::uuid[], $7::text[], $8::bigint[], $9::timestamptz[], $10::timestamptz[])`,
    catalogId,
    edition,
    ...columns.map((column) => column.toBuffer()),
  )
}

const itemsOf = (publishable: ReadonlyMap<string, Publishable>): ReadonlyMap<string, Item> =>
  new Map(
    [...publishable].map(([id, { published }]) => {
      const { attributes, meta } = published.doc as Pick<Priceable, 'attributes' | 'meta'>
      return [id, publishedItem({ id, attributes, meta, facts: published.hidden })]
    }),
  )

/** A bundle that cannot be bought has no price. */
const isSold = (product: Publishable | undefined): boolean =>
  product?.published.hidden.listed === true && !product.published.hidden.unfilled

const none: ReadonlyMap<string, string> = new Map()

const utc = (column: string) =>
  `CASE WHEN isfinite(${column}) THEN ${isoTime(column)} ELSE ${column}::text END`

/** In the order of a span's members: spans are compared as JSON. */
const spanColumns = columns({
  id: 'id',
  pricebookId: 'pricebook_id',
  currency: ['currency', (text: string | null) => text],
  amount: ['amount', (text: string | null) => (text === null ? null : Number(text))],
  from: utc('valid_from'),
  to: utc('valid_to'),
})

/** The current spans by product, as JSON. */
async function openSpans(
  { work, catalogId }: Publication,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await work.store.run(
    `SELECT ${spanColumns.sql} FROM published_price_spans
     WHERE store_id = $1 AND catalog_id = $2 AND id = ANY($3::uuid[]) AND ${isCurrent()} ORDER BY id, place`,
    catalogId,
    ids,
  )
  const spans = new Map<string, PriceSpan[]>()
  for (const { id, ...span } of rows.map(spanColumns.read)) spans.set(id, [...(spans.get(id) ?? []), span])
  return new Map([...spans].map(([id, productSpans]) => [id, JSON.stringify(productSpans)]))
}

/** How many products are processed together. */
const chunkMax = 1000

/** No product has more spans per addition. */
const placesMax = 100_000

/** An addition of price books to a published edition. */
interface AddedPricebooks extends Pick<Publication, 'work' | 'catalogId' | 'edition' | 'pricebookIds'> {
  /** The number of additions to this edition, including this one. */
  readonly additions: number
}

/**
 * Publishes the effective prices of the listed products by these price books. It never looks up rows that the same
 * transaction writes: see docs/decisions/0025-releases.md.
 */
export async function publishAddedPriceSpans(addition: AddedPricebooks): Promise<void> {
  const all = await possiblyPriced(addition)
  const find = (ids: readonly string[]) => publishedItems(addition, ids)
  for (let from = 0; from < all.length; from += chunkMax) {
    const items = await find(all.slice(from, from + chunkMax))
    const spansOf = await findPriceSpans(addition, items, find)
    const priced = items.flatMap((item) => {
      const spans = spansOf(item)
      return spans.length ? [{ id: item.id, spans }] : []
    })
    await insertSpans(addition, priced, addition.additions * placesMax)
  }
}

const ofEdition = `store_id = $1 AND catalog_id = $2 AND ${inEdition('$3::int')}`

/** The listed products that may have a price in these price books, except bundles that cannot be bought. */
async function possiblyPriced({
  work,
  catalogId,
  edition,
  pricebookIds,
}: AddedPricebooks): Promise<readonly string[]> {
  const skus = 'SELECT s.sku FROM prices s WHERE s.store_id = $1 AND s.pricebook_id = ANY($4::uuid[])'
  const rows = await work.store.runLong(
    `SELECT id FROM published_products
     WHERE ${ofEdition} AND listed_in IS NOT NULL AND CASE
       WHEN product_type = 'bundle' THEN hidden->'unfilled' IS NULL
       ELSE sku IN (${skus}) OR parent_id IS NOT NULL AND hidden->>'parent_sku' IN (${skus}) END
     ORDER BY id`,
    catalogId,
    edition,
    pricebookIds,
  )
  return rows.map(([id]) => id as string)
}

const itemColumns = columns({
  id: 'id',
  attributes: [
    `json_build_object('sku', doc->'attributes'->'sku', 'price_modifiers',
       coalesce(doc->'attributes'->'price_modifiers', '[]'::json))`,
    json<Priceable['attributes']>,
  ],
  meta: [
    "json_build_object('bundle_configuration', doc->'meta'->'bundle_configuration')",
    json<Priceable['meta']>,
  ],
  parentSku: ["hidden->>'parent_sku'", optionalText],
})

/** Products as the edition has them. */
async function publishedItems(
  { work, catalogId, edition }: AddedPricebooks,
  ids: readonly string[],
): Promise<readonly Item[]> {
  const rows = await work.store.runLong(
    `SELECT ${itemColumns.sql} FROM unnest($4::uuid[]) AS requested (value) JOIN published_products ON id = requested.value
     WHERE ${ofEdition}`,
    catalogId,
    edition,
    ids,
  )
  return rows
    .map(itemColumns.read)
    .map(({ parentSku, ...item }) => publishedItem({ ...item, facts: { parent_sku: parentSku } }))
}

/**
 * Finds the effective prices of items by the live price books of a publication, which are in the same snapshot.
 * `find` reads the parts of bundles. One statement reads the prices of all books.
 */
async function findPriceSpans(
  { work, pricebookIds }: Pick<Publication, 'work' | 'pricebookIds'>,
  items: readonly Item[],
  find: (ids: readonly string[]) => Promise<readonly Item[]>,
): Promise<(item: Item) => readonly PriceSpan[]> {
  const all = await withParts(items, find)
  const prices = await livePrices(work)(pricebookIds, [...all.values()])
  return (item) => pricebookIds.flatMap((book) => priceSpans(item, book, { items: all, prices }))
}
