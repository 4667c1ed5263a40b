import { columns } from '../../kernel/storage/columns.ts'
import { isCurrent } from '../../kernel/storage/editions.ts'
import { isoTime } from '../../kernel/storage/expressions.ts'
import type { Item, PriceSpan } from '../../prices/index.ts'
import { findPublishable, type Publishable } from '../sources/find-publishable.ts'
import type { Publication } from '../sources/publication.ts'
import { type Priceable, publishedItem } from '../sources/published-item.ts'
import { findPriceSpans } from './find-price-spans.ts'

/** Publishes the effective prices of listed products that differ in this edition. */
export async function publishPriceSpans(
  publication: Publication,
  ids: readonly string[],
  publishable: ReadonlyMap<string, Publishable>,
): Promise<void> {
  const { work, catalogId, edition, isFirst } = publication
  const items = itemsOf(publishable)
  const find = async (ids: readonly string[]) => [
    ...itemsOf(await findPublishable(publication, ids)).values(),
  ]
  const spans = await findPriceSpans(publication, [...items.values()], find)
  const spansOf = (id: string): readonly PriceSpan[] => {
    const item = items.get(id)
    return item && isSold(publishable.get(id)) ? spans(item) : []
  }
  const open = isFirst ? none : await openSpans(publication, ids)
  const others = ids
    .map((id) => ({ id, spans: spansOf(id) }))
    .filter(({ id, spans }) => JSON.stringify(spans) !== (open.get(id) ?? '[]'))
  const ended = others.flatMap(({ id }) => (open.has(id) ? id : []))
  if (ended.length) {
    await work.store.runLong(
      `UPDATE published_price_spans SET until = $4::int
       WHERE store_id = $1 AND catalog_id = $2 AND id = ANY($3::uuid[]) AND ${isCurrent()}`,
      catalogId,
      ended,
      edition,
    )
  }
  await insertSpans(publication, others)
}

/**
 * Inserts the spans of products. `first` is the place of the first span of each, because the edition may already
 * have some.
 */
export async function insertSpans(
  { work, catalogId, edition }: Pick<Publication, 'work' | 'catalogId' | 'edition'>,
  products: readonly { readonly id: string; readonly spans: readonly PriceSpan[] }[],
  first = 0,
): Promise<void> {
  const rows = products.flatMap(({ id, spans }) =>
    spans.map((span, i) => ({ id, place: first + i, ...span })),
  )
  if (!rows.length) return
  await work.store.runLong(
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
