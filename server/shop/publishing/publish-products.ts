import { hash } from 'node:crypto'
import { columns, flag, json, optionalText } from '../../kernel/storage/columns.ts'
import { isCurrent } from '../../kernel/storage/editions.ts'
import { runInSteps, type Steps } from '../../kernel/work/in-turns.ts'
import { findPublishable, type Publishable } from '../sources/find-publishable.ts'
import type { Publication } from '../sources/publication.ts'
import type { SearchValue } from '../sources/search-values.ts'
import { tablesOfProducts } from './editions.ts'
import { NewProducts } from './new-products.ts'
import { type PreparedSpans, preparePriceSpans, writePriceSpans } from './publish-price-spans.ts'
import { storeValues } from './publish-search.ts'

/** What an edition ends and begins of some products. */
interface PreparedProducts {
  readonly ended: readonly OpenRow[]
  readonly begun: NewProducts
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
  const begun = await runInSteps(newProducts(publication, publishable, before))
  const changed = new Set(begun.ids)
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
  const { work, catalogId } = publication
  await end(publication, ended)
  await begun.store()
  if (addedValues.length) await storeValues(work, catalogId, addedValues)
  await writePriceSpans(publication, spans)
}

/** The rows of new and changed products. */
function* newProducts(
  publication: Publication,
  publishable: ReadonlyMap<string, Publishable>,
  before: readonly OpenRow[],
): Steps<NewProducts> {
  const hashes = new Map(before.map(({ id, hash }) => [id, hash]))
  const rows = new NewProducts(publication)
  for (const product of publishable.values()) {
    const { source, published } = product
    const { doc, ...rest } = published
    const text = JSON.stringify(doc)
    const digest = hash('sha256', text + JSON.stringify(rest), 'base64url')
    if (hashes.get(source.id) !== digest) {
      rows.add(product, text, digest)
      const parentId = doc.attributes.base_product_id as string | undefined
      const nodeIds = rest.nodes.map(({ node }) => node)
      count(publication, { listed: rest.hidden.listed, parentId, nodeIds }, 1)
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
