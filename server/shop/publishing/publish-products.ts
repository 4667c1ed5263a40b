import { hash } from 'node:crypto'
import { columns, flag, json, optionalText } from '../../kernel/storage/columns.ts'
import { isCurrent } from '../../kernel/storage/editions.ts'
import { textArray } from '../../kernel/storage/text-arrays.ts'
import { runInSteps, type Steps } from '../../kernel/work/in-turns.ts'
import { findPublishable, type Publishable } from '../sources/find-publishable.ts'
import type { Publication } from '../sources/publication.ts'
import type { SearchValue } from '../sources/search-values.ts'
import { tablesOfProducts } from './editions.ts'
import { type PreparedSpans, preparePriceSpans, writePriceSpans } from './publish-price-spans.ts'
import { publishSearch, type SearchRow, toSearchRow } from './publish-search.ts'

/** What an edition ends and begins of some products. */
interface PreparedProducts {
  readonly ended: readonly OpenRow[]
  readonly begun: readonly ProductToPublish[]
  /** Values that may not be stored yet. */
  readonly addedValues: readonly SearchValue[]
  readonly spans: PreparedSpans
}

/** Compares these products with what is published. Reads only. */
export async function prepareProducts(
  publication: Publication,
  ids: readonly string[],
): Promise<PreparedProducts> {
  const publishable = await findPublishable(publication, ids)
  const before = publication.isFirst ? [] : await openRows(publication, ids)
  const begun = await runInSteps(rowsOf(publication, publishable, before))
  const changed = new Set(begun.map(({ source }) => source.id))
  return {
    ended: before.filter(({ id }) => changed.has(id) || !publishable.has(id)),
    begun,
    addedValues: publication.values.takeAdded(),
    spans: await preparePriceSpans(publication, ids, publishable),
  }
}

/** Writes what `prepareProducts` found. */
export async function writeProducts(
  publication: Publication,
  { ended, begun, addedValues, spans }: PreparedProducts,
): Promise<void> {
  await end(publication, ended)
  await begin(publication, begun, addedValues)
  await writePriceSpans(publication, spans)
}

interface ProductToPublish extends Publishable {
  readonly doc: string
  readonly hash: string
  /** Undefined for a product that no list shows. */
  readonly searchRow: SearchRow | undefined
}

/** The rows of new and changed products. */
function* rowsOf(
  { values }: Publication,
  publishable: ReadonlyMap<string, Publishable>,
  before: readonly OpenRow[],
): Steps<readonly ProductToPublish[]> {
  const hashes = new Map(before.map(({ id, hash }) => [id, hash]))
  const rows: ProductToPublish[] = []
  for (const { source, published } of publishable.values()) {
    const { doc, ...rest } = published
    const text = JSON.stringify(doc)
    const digest = hash('sha256', text + JSON.stringify(rest), 'base64url')
    if (hashes.get(source.id) !== digest) {
      const searchRow = rest.hidden.listed ? toSearchRow(published, values) : undefined
      rows.push({ source, published, doc: text, hash: digest, searchRow })
    }
    yield
  }
  return rows
}

const openColumns = columns({
  id: 'p.id',
  hash: "p.hidden->>'hash'",
  listed: ['p.listed_in IS NOT NULL', flag],
  parentId: ['p.parent_id', optionalText],
  nodeIds: [
    `(SELECT coalesce(json_agg(l.node_id), '[]') FROM published_node_products l
      WHERE l.store_id = $1 AND l.catalog_id = $2 AND l.id = p.id AND l.since = p.since)`,
    json<readonly string[]>,
  ],
})

type OpenRow = ReturnType<typeof openColumns.read>

async function openRows(
  { work, catalogId }: Publication,
  ids: readonly string[],
): Promise<readonly OpenRow[]> {
  const rows = await work.store.run(
    `SELECT ${openColumns.sql}
     FROM published_products p
     WHERE p.store_id = $1 AND p.catalog_id = $2 AND p.id = ANY($3::uuid[]) AND ${isCurrent('p')}`,
    catalogId,
    ids,
  )
  return rows.map(openColumns.read)
}

async function end(publication: Publication, rows: readonly OpenRow[]): Promise<void> {
  const { work, catalogId, edition } = publication
  if (!rows.length) return
  const ids = rows.map(({ id }) => id)
  for (const table of [...tablesOfProducts, 'published_products']) {
    await work.store.runLong(
      `UPDATE ${table} SET until = $4::int
       WHERE store_id = $1 AND catalog_id = $2 AND id = ANY($3::uuid[]) AND ${isCurrent()}`,
      catalogId,
      ids,
      edition,
    )
  }
  for (const row of rows) count(publication, row, -1)
}

function count(
  { totals, catalogId }: Publication,
  { listed, parentId, nodeIds }: Pick<OpenRow, 'listed' | 'parentId' | 'nodeIds'>,
  by: 1 | -1,
): void {
  if (listed) totals.count('published_products.listed_in', [catalogId], by)
  if (parentId !== undefined) totals.count('published_products.parent_id', [catalogId, parentId], by)
  for (const node of nodeIds) totals.count('products_of_nodes.node_id', [catalogId, node], by)
}

async function begin(
  publication: Publication,
  rows: readonly ProductToPublish[],
  addedValues: readonly SearchValue[],
): Promise<void> {
  const { work, catalogId, edition, at } = publication
  if (!rows.length) return
  const { store } = work
  const column = (value: (row: ProductToPublish) => unknown) => rows.map((row) => value(row) ?? null)
  const texts = (type: 'text' | 'json', value: (row: ProductToPublish) => string | undefined) =>
    textArray(type, rows.map(value))
  const attribute = (name: string) =>
    texts('text', ({ published }) => published.doc.attributes[name] as string | undefined)
  await store.runLong(
    `INSERT INTO published_products (store_id, catalog_id, since, id, created_at, updated_at, doc, hidden, listed_in,
       parent_id, name, sku, slug, manufacturer_part_num, upc_ean, product_type)
     SELECT $1, $2, $3::int, id, created_at, updated_at, doc, hidden, CASE WHEN listed THEN $2::uuid END,
       parent_id, name, sku, slug, manufacturer_part_num, upc_ean, product_type
     FROM unnest($4::uuid[], $5::timestamptz[], $6::timestamptz[], $7::json[], $8::json[], $9::boolean[], $10::uuid[],
       $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[]) AS input (id, created_at, updated_at,
       doc, hidden, listed, parent_id, name, sku, slug, manufacturer_part_num, upc_ean, product_type)`,
    catalogId,
    edition,
    column(({ source }) => source.id),
    column(({ source }) => source.createdAt),
    column(({ source }) => source.updatedAt),
    texts('json', ({ doc }) => doc),
    texts('json', ({ published, hash }) => JSON.stringify({ ...published.hidden, published_at: at, hash })),
    column(({ published }) => published.hidden.listed),
    column(({ published }) => published.doc.attributes.base_product_id),
    attribute('name'),
    attribute('sku'),
    attribute('slug'),
    attribute('manufacturer_part_num'),
    attribute('upc_ean'),
    texts('text', ({ source }) => source.internal.product_type),
  )
  const places = rows.flatMap(({ source, published }) =>
    published.nodes.map((node) => ({ id: source.id, ...node })),
  )
  await store.runLong(
    `INSERT INTO published_node_products (store_id, catalog_id, since, id, node_id, place, curated)
     SELECT $1, $2, $3::int, * FROM unnest($4::uuid[], $5::uuid[], $6::numeric[], $7::boolean[])`,
    catalogId,
    edition,
    places.map(({ id }) => id),
    places.map((node) => node.node),
    places.map(({ place }) => place),
    places.map(({ curated }) => curated),
  )
  const relations = rows.flatMap(({ source, published }) =>
    published.relations.flatMap(({ name, ids }) =>
      ids.map((to, place) => ({ id: source.id, name, place, to })),
    ),
  )
  await store.runLong(
    `INSERT INTO published_relations (store_id, catalog_id, since, product_id, name, place, id)
     SELECT $1, $2, $3::int, * FROM unnest($4::uuid[], $5::text[], $6::int[], $7::uuid[])`,
    catalogId,
    edition,
    relations.map(({ id }) => id),
    relations.map(({ name }) => name),
    relations.map(({ place }) => place),
    relations.map(({ to }) => to),
  )
  await publishSearch(
    publication,
    rows.flatMap(({ source: { id, updatedAt }, searchRow }) =>
      searchRow ? { id, updatedAt, searchRow } : [],
    ),
    addedValues,
  )
  for (const { published } of rows) {
    const parentId = published.doc.attributes.base_product_id as string | undefined
    const nodeIds = published.nodes.map(({ node }) => node)
    count(publication, { listed: published.hidden.listed, parentId, nodeIds }, 1)
  }
}
