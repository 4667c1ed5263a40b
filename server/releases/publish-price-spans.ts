import { type PriceSpan, priceSpans } from './price-spans.ts'
import { type Modifiers, pricedProducts } from './priced-products.ts'
import type { Publication } from './publication.ts'
import { repricedProducts } from './repriced-products.ts'

/** So many are looked at together. */
const chunkMax = 1000

/** The effective prices of listed products whose price, or row, is another in this edition. Prices are published. */
export async function publishPriceSpans(
  publication: Publication,
  pricebookIds: readonly string[],
): Promise<void> {
  const ids = await repricedProducts(publication.work.store, publication)
  const modifiers = await modifiersOf(publication)
  for (let from = 0; from < ids.length; from += chunkMax) {
    await publishChunk(publication, pricebookIds, ids.slice(from, from + chunkMax), modifiers)
  }
}

/** By price book, then by name. */
async function modifiersOf({ work, catalogId }: Publication): Promise<Modifiers> {
  const rows = await work.store.bulk(
    `SELECT pricebook_id, json_object_agg(name, doc) FROM published_price_modifiers
     WHERE store_id = $1 AND catalog_id = $2 AND until = 2147483647 GROUP BY pricebook_id`,
    catalogId,
  )
  return new Map(rows.map(([book, byName]) => [book as string, JSON.parse(byName as string)]))
}

async function publishChunk(
  publication: Publication,
  pricebookIds: readonly string[],
  ids: readonly string[],
  modifiers: Modifiers,
): Promise<void> {
  const { work, catalogId, edition } = publication
  const pricedBy = await pricedProducts(publication, ids, modifiers)
  const wanted = ids.map((id) => ({
    id,
    spans: pricebookIds.flatMap((book) => {
      const priced = pricedBy(book, id)
      return priced ? priceSpans(priced) : []
    }),
  }))
  const open = await openSpans(publication, ids)
  const others = wanted.filter(({ id, spans }) => JSON.stringify(spans) !== (open.get(id) ?? '[]'))
  await work.store.bulk(
    `UPDATE published_price_spans SET until = $4::int
     WHERE store_id = $1 AND catalog_id = $2 AND id = ANY($3::uuid[]) AND until = 2147483647`,
    catalogId,
    others.flatMap(({ id }) => (open.has(id) ? id : [])),
    edition,
  )
  const rows = others.flatMap(({ id, spans }) => spans.map((span, place) => ({ id, place, ...span })))
  await work.store.bulk(
    `INSERT INTO published_price_spans (store_id, catalog_id, since, id, place, pricebook_id, currency, amount, valid_from, valid_to)
     SELECT $1, $2, $3::int, * FROM
       unnest($4::uuid[], $5::int[], $6::uuid[], $7::text[], $8::bigint[], $9::timestamptz[], $10::timestamptz[])`,
    catalogId,
    edition,
    rows.map(({ id }) => id),
    rows.map(({ place }) => place),
    rows.map(({ pricebookId }) => pricebookId),
    rows.map(({ currency }) => currency),
    rows.map(({ amount }) => amount),
    rows.map(({ from }) => from),
    rows.map(({ to }) => to),
  )
}

/** The spans that are open, by product, as JSON. */
async function openSpans(
  { work, catalogId }: Publication,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const utc = (column: string) =>
    `CASE WHEN isfinite(${column}) THEN to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') ELSE ${column}::text END`
  const rows = await work.store.rows(
    `SELECT id, pricebook_id, currency, amount, ${utc('valid_from')}, ${utc('valid_to')} FROM published_price_spans
     WHERE store_id = $1 AND catalog_id = $2 AND id = ANY($3::uuid[]) AND until = 2147483647 ORDER BY id, place`,
    catalogId,
    ids,
  )
  const spans = new Map<string, PriceSpan[]>()
  for (const [id, pricebookId, currency, amount, from, to] of rows) {
    const span = {
      pricebookId: pricebookId as string,
      currency: currency ?? null,
      amount: amount == null ? null : Number(amount),
      from: from as string,
      to: to as string,
    }
    spans.set(id as string, [...(spans.get(id as string) ?? []), span])
  }
  return new Map([...spans].map(([id, found]) => [id, JSON.stringify(found)]))
}
