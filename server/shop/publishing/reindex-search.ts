import { columns, json, number } from '../../kernel/storage/columns.ts'
import { partBytesMax, partRowsMax, textBytes } from '../../kernel/storage/sized-parts.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { Chore, LongJob } from '../../kernel/work/job.ts'
import { workOf } from '../../kernel/work/work-of.ts'
import type { PublishedProduct } from '../sources/published-product.ts'
import { SearchValues } from '../sources/search-values.ts'
import { searchForm } from '../sources/searchable.ts'
import { recountWords, storeValues, toSearchRow } from './publish-search.ts'

interface Catalog {
  readonly catalogId: string
}

/**
 * Rewrites the search rows of a catalog that an older version of the server wrote in another form. Until then
 * searches find what that version's rows allow.
 */
export const reindexSearch: LongJob<Catalog> = {
  name: 'publishing:reindex-search',
  // A long job, so nothing of the store is published meanwhile.
  long: true,
  run: async (work, { catalogId }) => {
    let after: ProductVersion | undefined
    for (;;) {
      const products = await nextProducts(work, catalogId, after)
      const last = products.at(-1)
      if (!last) break
      await writeAnew(work, catalogId, products)
      after = last
    }
    await work.transaction(async (inside) => {
      await recountWords(inside, catalogId)
      await inside.store.run(
        'UPDATE catalog_editions SET search_form = $3 WHERE store_id = $1 AND catalog_id = $2',
        catalogId,
        searchForm,
      )
    })
  },
  // Searches keep finding what they found before.
  wait: async () => {},
  giveUp: async (work, { catalogId }, reason) =>
    work.instance.log.error({ catalog: catalogId, reason }, 'the search index of a catalog was not rebuilt'),
}

/** Looks for catalogs that an older version published, perhaps in a process that still runs. */
export const reindexSearches: Chore = {
  name: 'publishing:reindex-searches',
  attemptsMax: 1,
  every: '* * * * *',
  run: async (instance) => {
    const rows = await instance.database.run({
      text: `SELECT DISTINCT store_id, catalog_id FROM catalog_editions WHERE ${isStale('$1')}`,
      values: [searchForm],
    })
    for (const [storeId, catalogId] of rows) {
      const work = workOf(instance, { store: storeId as string, by: 'system ' })
      await work.transaction((inside) => queueOnce(inside, catalogId as string))
    }
  },
}

/** A negative form marks an edition that a job will rewrite. */
const isStale = (form: string) => `search_form < ${form}::int AND search_form <> -${form}::int`

async function queueOnce(work: Work, catalogId: string): Promise<void> {
  const queued = await work.store.run(
    `UPDATE catalog_editions SET search_form = -$3::int
     WHERE store_id = $1 AND catalog_id = $2 AND ${isStale('$3')} RETURNING edition`,
    catalogId,
    searchForm,
  )
  if (queued.length) await work.later(reindexSearch, { catalogId })
}

interface ProductVersion {
  readonly id: string
  readonly since: number
}

interface VersionToIndex extends ProductVersion {
  readonly until: number
  readonly published: Pick<PublishedProduct, 'doc' | 'hidden'>
}

const productColumns = columns({
  id: 'p.id',
  since: ['p.since', number],
  until: ['p.until', number],
  doc: ['p.doc', json<PublishedProduct['doc']>],
  hidden: ['p.hidden', json<PublishedProduct['hidden']>],
})

async function nextProducts(
  work: Work,
  catalogId: string,
  after: ProductVersion | undefined,
): Promise<readonly VersionToIndex[]> {
  const rows = await work.store.run(
    `SELECT ${productColumns.sql} FROM (
       SELECT *, sum(bytes) OVER (ORDER BY id, since) - bytes AS before FROM (
         SELECT p.id, p.since, p.until, p.doc, p.hidden, ${textBytes('p.doc', 'p.hidden')} AS bytes
         FROM published_products p
         WHERE p.store_id = $1 AND p.catalog_id = $2 AND (p.id, p.since) > ($3::uuid, $4::int)
           AND p.listed_in IS NOT NULL
         ORDER BY p.id, p.since LIMIT ${partRowsMax}
       ) next
     ) p WHERE before < ${partBytesMax} ORDER BY p.id, p.since`,
    catalogId,
    after?.id ?? '00000000-0000-0000-0000-000000000000',
    after?.since ?? 0,
  )
  const products = rows
    .map(productColumns.read)
    .map(({ doc, hidden, ...row }) => ({ ...row, published: { doc, hidden } }))
  return withSlugs(work, catalogId, products)
}

/** Adds the slugs of the nodes on the paths to each product, if they were not published with it. */
async function withSlugs(
  work: Work,
  catalogId: string,
  products: readonly VersionToIndex[],
): Promise<readonly VersionToIndex[]> {
  const nodes = products.flatMap(({ published }) => (published.hidden.node_slugs ? [] : nodesOf(published)))
  if (!nodes.length) return products
  const rows = await work.store.run(
    `SELECT id, since, until, doc->'attributes'->>'slug' FROM published_nodes
     WHERE store_id = $1 AND catalog_id = $2 AND id = ANY($3::uuid[]) AND doc->'attributes'->>'slug' IS NOT NULL`,
    catalogId,
    [...new Set(nodes)],
  )
  const byNode = Map.groupBy(rows, ([id]) => id)
  return products.map((product) => {
    const { doc, hidden } = product.published
    if (hidden.node_slugs) return product
    // The slugs in the last edition in which this row of the product is valid.
    const slugs = nodesOf({ doc }).flatMap((node) =>
      (byNode.get(node) ?? [])
        .filter(([, since, until]) => Number(since) < product.until && Number(until) >= product.until)
        .map(([, , , slug]) => slug as string),
    )
    return { ...product, published: { doc, hidden: { ...hidden, node_slugs: [...new Set(slugs)] } } }
  })
}

const nodesOf = ({ doc }: Pick<PublishedProduct, 'doc'>): readonly string[] =>
  Object.entries((doc.meta.bread_crumbs ?? {}) as Record<string, readonly string[]>).flatMap(
    ([node, above]) => [node, ...above],
  )

async function writeAnew(work: Work, catalogId: string, products: readonly VersionToIndex[]): Promise<void> {
  const values = new SearchValues()
  const rows = products.map(({ published }) => toSearchRow(published, values))
  await work.store.runLong(
    `WITH input AS MATERIALIZED (
       SELECT id, since, codes::text[], words, value_ids::bigint[], word_ids::bigint[]
       FROM unnest($3::uuid[], $4::int[], $5::text[], $6::tsvector[], $7::text[], $8::text[])
         AS given (id, since, codes, words, value_ids, word_ids))
     UPDATE published_texts t
     SET codes = input.codes, words = input.words, value_ids = input.value_ids, word_ids = input.word_ids
     FROM input WHERE t.store_id = $1 AND t.catalog_id = $2 AND t.id = input.id AND t.since = input.since`,
    catalogId,
    products.map(({ id }) => id),
    products.map(({ since }) => since),
    rows.map(({ codes }) => codes),
    rows.map(({ words }) => words),
    rows.map(({ valueIds }) => valueIds),
    rows.map(({ wordIds }) => wordIds),
  )
  await storeValues(work, catalogId, values.takeAdded(), true)
}
