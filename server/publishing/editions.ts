import { noEnd } from '../kernel/storage/editions.ts'
import type { Work } from '../kernel/work/context.ts'
import { countWords } from './publish-search.ts'

/** What a catalog is published of, as far as it tells whether all of it must be looked at again. */
export interface MadeOf {
  readonly hierarchyIds: readonly string[]
  readonly pricebookIds: readonly string[]
  /** The catalog's own among these, the strongest first. */
  readonly ownPricebookIds: readonly string[]
  /** Whether catalog rules may name others in their place. */
  readonly segmented: boolean
  /** Among them, those that were added after it was published: the delta of the next edition has their prices. */
  readonly addedPricebookIds?: readonly string[]
  /** In how many steps. */
  readonly additions?: number
  /** Those that were added to the edition before, which no delta had. */
  readonly delayedPricebookIds?: readonly string[]
  /** Whether price books count otherwise than in the edition before: any product may have another price. */
  readonly repricesAll?: boolean
  /** When it was begun: the change feed was looked at then. */
  readonly at: string
  /** What rows are published as: see `layout`. */
  readonly layout?: number
}

/**
 * Raised when the same product is published as another row than before: the next edition of a catalog then looks at all
 * products. 2: what of bundles is for sale, and variations as they are now.
 */
export const layout = 2

/** One state of a catalog that was published: its rows say from which edition up to which they are true. */
export interface Edition {
  readonly edition: number
  readonly releaseId: string
  readonly publishedAt: string
  /** The store's change feed was looked at up to here. */
  readonly position: number
  readonly madeOf: MadeOf
  /** How its rows for searches are written. */
  readonly searchForm: number
}

/** A published state of a catalog, for whoever reads what is in it. */
export interface Published extends Edition {
  readonly catalogId: string
}

const columns =
  `edition, release_id, to_char(published_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  position, made_of, search_form` as const

type Text = readonly (string | null)[]

/** From what `currentEditionSql` reads. */
export const toEdition = ([
  edition,
  releaseId,
  publishedAt,
  position,
  madeOf,
  searchForm,
]: Text): Edition => ({
  edition: Number(edition),
  releaseId: releaseId as string,
  publishedAt: publishedAt as string,
  position: Number(position),
  madeOf: JSON.parse(madeOf as string) as MadeOf,
  searchForm: Number(searchForm),
})

/** The edition of a catalog that shoppers see, or saw at an instant, as far as it is kept and not withdrawn. */
export async function currentEdition(
  { store }: Work,
  catalogId: string,
  at?: Date,
): Promise<Edition | undefined> {
  const [found] = await store.glance(currentEditionSql('$2'), catalogId, at ?? null)
  return found && toEdition(found)
}

/** `$3` is the instant, or null for the present. */
export const currentEditionSql = (catalogId: string) =>
  `SELECT ${columns} FROM catalog_editions WHERE store_id = $1 AND catalog_id = ${catalogId}
     AND NOT withdrawn AND published_at <= coalesce($3::timestamptz, 'infinity') ORDER BY edition DESC LIMIT 1` as const

/**
 * The edition that a release was published as. It outlives a release that is no longer kept, for clients that walk its
 * lists; not a release that was deleted.
 */
export async function editionOf(
  { store }: Work,
  catalogId: string,
  releaseId: string,
): Promise<Edition | undefined> {
  const [found] = await store.glance(
    `SELECT ${columns} FROM catalog_editions WHERE store_id = $1 AND catalog_id = $2 AND release_id = $3 AND NOT withdrawn`,
    catalogId,
    releaseId,
  )
  return found && toEdition(found)
}

/** From now on nobody is shown the editions of these releases. */
export async function withdraw(
  { store }: Work,
  catalogId: string,
  releaseIds: readonly string[],
): Promise<void> {
  await store.rows(
    `UPDATE catalog_editions SET withdrawn = true
     WHERE store_id = $1 AND catalog_id = $2 AND release_id = ANY($3::uuid[])`,
    catalogId,
    releaseIds,
  )
}

/** The tables whose rows are true from one edition up to another. */
export const tablesOfEditions = [
  'published_products',
  'published_nodes',
  'published_prices',
  'published_price_modifiers',
  'published_price_spans',
] as const

/** The tables whose rows come and go with those of products. */
export const tablesOfProducts = ['published_node_products', 'published_texts', 'published_numbers'] as const

/** All that shoppers' answers are looked up in. What is added here goes with its catalog by `forget_published`. */
export const publishedTables = [
  ...tablesOfEditions,
  ...tablesOfProducts,
  'published_relations',
  'published_words',
  'published_values',
] as const

type Store = Pick<Work['store'], 'rows' | 'bulk'>

/** Deletes what came with some rows of products, before these. */
async function forgetWhatIsOf(store: Store, which: string, ...values: readonly unknown[]): Promise<void> {
  const keys = [
    ...tablesOfProducts.map((table) => [table, 'id'] as const),
    ['published_relations', 'product_id'] as const,
  ]
  for (const [table, id] of keys) {
    await store.bulk(
      `DELETE FROM ${table} l USING published_products p
       WHERE p.store_id = $1 AND p.catalog_id = $2 AND ${which}
         AND l.store_id = $1 AND l.catalog_id = $2 AND l.${id} = p.id AND l.since = p.since`,
      ...values,
    )
  }
}

/**
 * Takes back the last edition of a catalog: what it brought is gone, and what it ended goes on. The one before is the
 * current one again.
 */
export async function takeBack(work: Work, catalogId: string, edition: number): Promise<void> {
  const { store } = work
  await countWords(work, catalogId, edition, -1)
  await forgetWhatIsOf(store, 'p.since = $3', catalogId, edition)
  for (const table of tablesOfEditions) {
    await store.bulk(
      `DELETE FROM ${table} WHERE store_id = $1 AND catalog_id = $2 AND since = $3`,
      catalogId,
      edition,
    )
  }
  for (const table of tablesOfProducts) {
    await store.bulk(
      `UPDATE ${table} l SET until = ${noEnd} FROM published_products p
       WHERE p.store_id = $1 AND p.catalog_id = $2 AND p.until = $3
         AND l.store_id = $1 AND l.catalog_id = $2 AND l.id = p.id AND l.since = p.since`,
      catalogId,
      edition,
    )
  }
  for (const table of tablesOfEditions) {
    await store.bulk(
      `UPDATE ${table} SET until = ${noEnd} WHERE store_id = $1 AND catalog_id = $2 AND until = $3`,
      catalogId,
      edition,
    )
  }
  await store.bulk(
    'DELETE FROM edition_totals WHERE store_id = $1 AND scope[1] = $2 AND since = $3',
    catalogId,
    edition,
  )
  await store.bulk(
    `UPDATE edition_totals SET until = ${noEnd} WHERE store_id = $1 AND scope[1] = $2 AND until = $3`,
    catalogId,
    edition,
  )
  await store.rows(
    'DELETE FROM catalog_editions WHERE store_id = $1 AND catalog_id = $2 AND edition = $3',
    catalogId,
    edition,
  )
}

/** Deletes what is true in none of the editions from this one on, but for what it ended itself: its delta says so. */
export async function forgetBefore(store: Store, catalogId: string, edition: number): Promise<void> {
  await forgetWhatIsOf(store, 'p.until < $3', catalogId, edition)
  for (const table of tablesOfEditions) {
    await store.bulk(
      `DELETE FROM ${table} WHERE store_id = $1 AND catalog_id = $2 AND until < $3`,
      catalogId,
      edition,
    )
  }
  await store.bulk(
    'DELETE FROM edition_totals WHERE store_id = $1 AND scope[1] = $2 AND until <= $3',
    catalogId,
    edition,
  )
  await store.rows(
    'DELETE FROM catalog_editions WHERE store_id = $1 AND catalog_id = $2 AND edition < $3',
    catalogId,
    edition,
  )
}

/** Deletes all that was ever published of a catalog, as with the catalog itself. */
export async function forgetAll({ store }: Work, catalogId: string): Promise<void> {
  await store.rows('SELECT forget_published($1, $2)', catalogId)
}
