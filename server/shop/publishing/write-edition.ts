import { feedPosition } from '../../kernel/feed/sequence.ts'
import { inParts } from '../../kernel/storage/sized-parts.ts'
import type { Work } from '../../kernel/work/context.ts'
import { EditionTotals } from '../sources/edition-totals.ts'
import { sizedProducts } from '../sources/product-sources.ts'
import type { Publication } from '../sources/publication.ts'
import { SearchValues } from '../sources/search-values.ts'
import { searchForm } from '../sources/searchable.ts'
import { findAllProducts, findChangedProducts, isFeedComplete } from './changed-products.ts'
import { currentEdition, type Edition, type EditionSources, layout } from './editions.ts'
import { publishNodes } from './publish-nodes.ts'
import { publishChangedPrices, publishPrices } from './publish-prices.ts'
import { prepareProducts, writeProducts } from './publish-products.ts'
import { countWords, forgetValues } from './publish-search.ts'

/** What a release is published from. */
interface Recipe extends Omit<EditionSources, 'at' | 'layout' | 'repricesAll'> {
  readonly catalogId: string
  readonly releaseId: string
}

/** The result of writing an edition. */
interface WrittenEdition {
  readonly isFull: boolean
  readonly isFirst: boolean
  /** How many products were checked. */
  readonly checkedProducts: number
}

/**
 * Writes the next edition of a catalog, which becomes the current one with the commit. The transaction is a snapshot,
 * so all reads are of one moment.
 */
export async function writeEdition(
  work: Work,
  recipe: Recipe,
  progress: (percent: number) => Promise<void>,
): Promise<WrittenEdition> {
  const { catalogId, releaseId, ...sources } = recipe
  const { hierarchyIds, pricebookIds } = sources
  const before = await currentEdition(work, catalogId)
  if (before) await mustStayAsItIs(work, catalogId, before)
  const at = work.clock.now()
  const publication: Publication = {
    work,
    catalogId,
    edition: (before?.edition ?? 0) + 1,
    isFirst: !before,
    at: at.toISOString(),
    hierarchyIds,
    pricebookIds,
    ways: new Map(),
    totals: new EditionTotals(),
    values: new SearchValues(),
  }
  const position = await feedPosition(work.store)
  const isFull = !before || hasOtherSources(before, recipe) || isOld(before, at)
  const ids =
    !isFull && before.sources.layout === layout && (await isFeedComplete(work, before))
      ? await publishChanged(publication, before.position)
      : await publishAll(publication)
  await publishInParts(publication, ids, progress)
  await countWords(work, catalogId, publication.edition, 1)
  if (isFull && before) await forgetValues(publication)
  await publication.totals.store(work, publication.edition)
  await work.store.run(
    `INSERT INTO catalog_editions (store_id, catalog_id, edition, release_id, published_at, position, made_of,
       search_form)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    catalogId,
    publication.edition,
    releaseId,
    work.clock.now(),
    position,
    JSON.stringify({ ...sources, repricesAll: repricesAll(before, recipe), at: publication.at, layout }),
    searchForm,
  )
  return { isFull, isFirst: !before, checkedProducts: ids.length }
}

/** PostgreSQL writes a part while the server prepares the next one. */
async function publishInParts(
  publication: Publication,
  ids: readonly string[],
  progress: (percent: number) => Promise<void>,
): Promise<void> {
  let writing = Promise.resolve()
  let done = 0
  for await (const part of inParts(publication.work.store, sizedProducts, ids)) {
    const [prepared] = await Promise.all([
      prepareProducts(publication, part),
      writing,
      progress(Math.floor((done * 99) / ids.length)),
    ])
    writing = writeProducts(publication, prepared)
    done += part.length
  }
  await writing
}

/**
 * Keeps price books from being added to an edition while the next one is written from a snapshot. The second
 * transaction retries.
 */
async function mustStayAsItIs({ store }: Work, catalogId: string, { edition }: Edition): Promise<void> {
  await store.run(
    'UPDATE catalog_editions SET made_of = made_of WHERE store_id = $1 AND catalog_id = $2 AND edition = $3',
    catalogId,
    edition,
  )
}

/** Publishes nodes and prices. Returns all products, to be checked. */
async function publishAll(publication: Publication): Promise<readonly string[]> {
  await publishNodes(publication)
  await publishPrices(publication)
  return findAllProducts(publication)
}

/** Publishes nodes and prices. Returns the products that may have changed since a position of the feed. */
async function publishChanged(publication: Publication, position: number): Promise<readonly string[]> {
  const movedNodeIds = await publishNodes(publication)
  const repriced = await publishChangedPrices(publication, position)
  return findChangedProducts(publication, { position, movedNodeIds, repriced })
}

const sorted = (ids: readonly string[]) => [...ids].sort().join()

const hasOtherSources = ({ sources }: Edition, { hierarchyIds, pricebookIds }: Recipe): boolean =>
  sorted(sources.hierarchyIds) !== sorted(hierarchyIds) ||
  sorted(sources.pricebookIds) !== sorted(pricebookIds)

/**
 * Added and removed price books change their prices by themselves; only the order of those in both editions matters
 * here.
 */
function repricesAll(before: Edition | undefined, now: Recipe): boolean {
  if (!before) return true
  const { pricebookIds, ownPricebookIds, segmented } = before.sources
  const inBoth = new Set(pricebookIds).intersection(new Set(now.pricebookIds))
  const order = (own: readonly string[]) => own.filter((id) => inBoth.has(id)).join()
  return segmented !== now.segmented || order(ownPricebookIds) !== order(now.ownPricebookIds)
}

const daysMax = 90

const isOld = ({ publishedAt }: Edition, now: Date): boolean =>
  now.getTime() - Date.parse(publishedAt) > daysMax * 86_400_000
