import { Problem } from '../../kernel/errors.ts'
import { type Columns, columns, json, number } from '../../kernel/storage/columns.ts'
import { broughtBy, hasEnded, noEnd } from '../../kernel/storage/editions.ts'
import { isoTime } from '../../kernel/storage/expressions.ts'
import type { Work } from '../../kernel/work/context.ts'
import { countWords } from './publish-search.ts'

/** What an edition was published from. A difference may mean that all products must be checked again. */
export interface EditionSources {
  readonly hierarchyIds: readonly string[]
  readonly pricebookIds: readonly string[]
  /** The catalog's own price books among these, strongest first. */
  readonly ownPricebookIds: readonly string[]
  /** Whether catalog rules may replace them. */
  readonly segmented: boolean
  /** The price books that were added after publishing. The delta of the next edition has their prices. */
  readonly addedPricebookIds?: readonly string[]
  /** The number of such additions. */
  readonly additions?: number
  /** The price books that were added to the previous edition, and were in no delta. */
  readonly delayedPricebookIds?: readonly string[]
  /** Whether other price books apply than in the previous edition, so that any price may differ. */
  readonly repricesAll?: boolean
  /** When publishing began and read the change feed. */
  readonly at: string
  /** The format of the rows: see `layout`. */
  readonly layout?: number
}

/**
 * The format of published rows. Raise it when the same product gives another row than before; the next edition of a
 * catalog then checks all products. 2: options for sale, and current variations. 3: children with the pictures of
 * their parents.
 */
export const layout = 3

/** A published state of a catalog. Each row is valid from one edition until another. */
export interface Edition {
  readonly edition: number
  readonly releaseId: string
  readonly publishedAt: string
  /** The position of the store's change feed that publishing read up to. */
  readonly position: number
  readonly sources: EditionSources
  /** The format of its search rows. */
  readonly searchForm: number
}

/** An edition and its catalog, for readers. */
export interface CatalogEdition extends Edition {
  readonly catalogId: string
}

/** The columns of `currentEditionSql`. */
export const editionColumns: Columns<Edition> = columns({
  edition: ['edition', number],
  releaseId: 'release_id',
  publishedAt: isoTime('published_at'),
  position: ['position', number],
  sources: ['made_of', json<EditionSources>],
  searchForm: ['search_form', number],
})

/** The edition that shoppers see, or saw at an instant, if it is kept and not withdrawn. */
export async function currentEdition(
  { store }: Work,
  catalogId: string,
  at?: Date,
): Promise<Edition | undefined> {
  const [row] = await store.read(currentEditionSql('$2'), catalogId, at ?? null)
  return row && editionColumns.read(row)
}

/** `$3` is the instant, or null for the present. */
export const currentEditionSql = (catalogId: string) =>
  `SELECT ${editionColumns.sql} FROM catalog_editions WHERE store_id = $1 AND catalog_id = ${catalogId}
     AND NOT withdrawn AND published_at <= coalesce($3::timestamptz, 'infinity') ORDER BY edition DESC LIMIT 1` as const

/**
 * The edition of a release. It outlives a release that expired, for clients that walk its lists, but not a release
 * that was deleted.
 */
export async function editionOf(
  { store }: Work,
  catalogId: string,
  releaseId: string,
): Promise<Edition | undefined> {
  const [row] = await store.read(
    `SELECT ${editionColumns.sql} FROM catalog_editions
     WHERE store_id = $1 AND catalog_id = $2 AND release_id = $3 AND NOT withdrawn`,
    catalogId,
    releaseId,
  )
  return row && editionColumns.read(row)
}

/** Hides the editions of these releases from all readers. */
export async function withdraw(
  { store }: Work,
  catalogId: string,
  releaseIds: readonly string[],
): Promise<void> {
  await store.run(
    `UPDATE catalog_editions SET withdrawn = true
     WHERE store_id = $1 AND catalog_id = $2 AND release_id = ANY($3::uuid[])`,
    catalogId,
    releaseIds,
  )
}

/** The tables whose rows are valid from one edition until another. */
export const tablesOfEditions = [
  'published_products',
  'published_nodes',
  'published_prices',
  'published_price_modifiers',
  'published_price_spans',
] as const

/** The tables whose rows begin and end with those of products. */
export const tablesOfProducts = ['published_node_products', 'published_texts', 'published_numbers'] as const

/** All tables that shoppers read. `forget_published` deletes their rows with the catalog. */
export const publishedTables = [
  ...tablesOfEditions,
  ...tablesOfProducts,
  'published_relations',
  'published_words',
  'published_values',
] as const

export type EditionStore = Pick<Work['store'], 'run' | 'runLong'>

/** Deletes the rows that belong to some product rows. Call it before the product rows are deleted. */
async function deleteRowsOfProducts(
  store: EditionStore,
  which: string,
  ...values: readonly unknown[]
): Promise<void> {
  const keys = [
    ...tablesOfProducts.map((table) => [table, 'id'] as const),
    ['published_relations', 'product_id'] as const,
  ]
  for (const [table, id] of keys) {
    await store.runLong(
      `DELETE FROM ${table} l USING published_products p
       WHERE p.store_id = $1 AND p.catalog_id = $2 AND ${which}
         AND l.store_id = $1 AND l.catalog_id = $2 AND l.${id} = p.id AND l.since = p.since`,
      ...values,
    )
  }
}

/**
 * Rolls back the last edition of a catalog: deletes the rows that it began and reopens the rows that it ended. The
 * previous edition becomes the current one.
 */
export async function takeBack(work: Work, catalogId: string, edition: number): Promise<void> {
  const { store } = work
  await countWords(work, catalogId, edition, -1)
  await deleteRowsOfProducts(store, 'p.since = $3', catalogId, edition)
  for (const table of tablesOfEditions) {
    await store.runLong(
      `DELETE FROM ${table} WHERE store_id = $1 AND catalog_id = $2 AND ${broughtBy(edition, '$3')}`,
      catalogId,
      edition,
    )
  }
  for (const table of tablesOfProducts) {
    await store.runLong(
      `UPDATE ${table} l SET until = ${noEnd} FROM published_products p
       WHERE p.store_id = $1 AND p.catalog_id = $2 AND p.until = $3 AND ${hasEnded('p')}
         AND l.store_id = $1 AND l.catalog_id = $2 AND l.id = p.id AND l.since = p.since`,
      catalogId,
      edition,
    )
  }
  for (const table of tablesOfEditions) {
    await store.runLong(
      `UPDATE ${table} SET until = ${noEnd} WHERE store_id = $1 AND catalog_id = $2 AND until = $3
         AND ${hasEnded()}`,
      catalogId,
      edition,
    )
  }
  await store.runLong(
    'DELETE FROM edition_totals WHERE store_id = $1 AND scope[1] = $2 AND since = $3',
    catalogId,
    edition,
  )
  await store.runLong(
    `UPDATE edition_totals SET until = ${noEnd} WHERE store_id = $1 AND scope[1] = $2 AND until = $3`,
    catalogId,
    edition,
  )
  await store.run(
    'DELETE FROM catalog_editions WHERE store_id = $1 AND catalog_id = $2 AND edition = $3',
    catalogId,
    edition,
  )
}

/**
 * Deletes rows that ended before this edition. Rows that the edition itself ended stay, because its delta needs
 * them.
 */
export async function forgetBefore(store: EditionStore, catalogId: string, edition: number): Promise<void> {
  await deleteRowsOfProducts(store, `p.until < $3 AND ${hasEnded('p')}`, catalogId, edition)
  for (const table of tablesOfEditions) {
    await store.runLong(
      `DELETE FROM ${table} WHERE store_id = $1 AND catalog_id = $2 AND until < $3 AND ${hasEnded()}`,
      catalogId,
      edition,
    )
  }
  await store.runLong(
    'DELETE FROM edition_totals WHERE store_id = $1 AND scope[1] = $2 AND until <= $3',
    catalogId,
    edition,
  )
  await store.run(
    'DELETE FROM catalog_editions WHERE store_id = $1 AND catalog_id = $2 AND edition < $3',
    catalogId,
    edition,
  )
}

/** Deletes everything that was published of a catalog. */
export async function forgetAll({ store }: Work, catalogId: string): Promise<void> {
  await store.run('SELECT forget_published($1, $2)', catalogId)
}

/**
 * The edition was rolled back while it was read, because its release was deleted. The rows may be from two editions.
 */
export class EditionGone extends Problem {
  constructor() {
    super('unavailable', 'The release was deleted while it was read. Send the request again.')
  }
}
