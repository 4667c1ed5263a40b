import { Problem } from '../../kernel/errors.ts'
import { sequence } from '../../kernel/feed/sequence.ts'
import type { Changes } from '../../kernel/shape/fields.ts'
import { editionTotal, isCurrent } from '../../kernel/storage/editions.ts'
import type { Instance, Work } from '../../kernel/work/context.ts'
import { change } from '../../kernel/write/by-rules.ts'
import { documentedJob, type JobDocument } from '../../store/index.ts'
import { catalogs } from '../catalogs/catalogs.ts'
import { pricebooksOfRules } from '../catalogs/pending-rules.ts'
import { inOrder, type PrioritizedPricebook } from '../catalogs/prioritized-pricebooks.ts'
import { type Release, type ReleaseFields, releases } from '../catalogs/releases.ts'
import { addPricebooksAfter } from '../publishing/add-pricebooks.ts'
import { type Edition, type EditionSources, editionOf, publishedTables } from '../publishing/editions.ts'
import { writeEdition } from '../publishing/write-edition.ts'
import { forgetReleases } from './forget-releases.ts'

/** What a release shows beside its status. */
type ReleaseDetails = Omit<Changes<ReleaseFields>, 'status' | 'started_at' | 'waiting_for'>

/** A release shows the job that publishes it. */
const releaseDocument: JobDocument<ReleaseFields, ReleaseDetails> = {
  resource: releases,
  read: ({ hidden: { status, waiting_for } }) => ({
    phase: status === 'PENDING' ? 'pending' : status === 'IN_PROGRESS' ? 'started' : 'ended',
    waitingFor: waiting_for,
    errorCount: 0,
  }),
  show: ({ hidden }, event) => {
    if (event.is === 'waiting') return { waiting_for: event.reason }
    const details = { ...('details' in event && event.details), waiting_for: undefined }
    if (event.is === 'part done') return details
    if (event.is === 'ended') return { ...details, status: event.isSuccess ? 'PUBLISHED' : 'FAILED' }
    return { ...details, status: 'IN_PROGRESS', started_at: hidden.started_at ?? event.at }
  },
}

interface ReleasePayload {
  readonly catalogId: string
  readonly releaseId: string
}

/** With fewer products, every query plan is fast. */
const analyzeFrom = 1000

/** How often progress is stored, at most. */
const progressEveryMs = 1000

/**
 * Publishes a catalog. One transaction writes an edition, and shoppers see it with the commit. A worker that is killed
 * leaves nothing behind, and the next one starts again.
 */
export const publishCatalog = documentedJob<ReleasePayload, ReleaseFields, never, void, ReleaseDetails>({
  name: 'releases:publish-catalog',
  document: releaseDocument,
  placeOf: ({ catalogId, releaseId }) => ({ id: releaseId, scope: [catalogId] }),
  // Releases are deleted under this lock, so the edition that this one is based on stays.
  lockFirst: ({ store }, { catalogId }) => store.lock(catalogs, catalogId),
  prepare: async (work, payload) => {
    if (!(await editionOf(work, payload.catalogId, payload.releaseId))) await publish(work, payload)
  },
  run: findResult,
  findResult,
  afterEnd: async (work, { catalogId }) => {
    await forgetReleases(work, catalogId)
    // Rules written meanwhile wait for the end of publishing, even if it failed.
    await addPricebooksAfter(work, catalogId)
  },
})

async function publish(work: Work, { catalogId, releaseId }: ReleasePayload): Promise<void> {
  const show = (changes: ReleaseDetails) => change(work, releases, [catalogId], releaseId, changes)
  // The snapshot reads the change feed, so first every change must have its position there.
  await sequence(work.store)
  let shownMs = performance.now()
  const progress = async (percent_completed: number) => {
    if (performance.now() - shownMs < progressEveryMs) return
    shownMs = performance.now()
    await show({ percent_completed })
  }
  const edition = await work.snapshot(async (inside) => {
    const catalog = await inside.store.find(catalogs, catalogId)
    if (!catalog) throw new Problem('not_found', 'catalog not found')
    const { name, description, hierarchy_ids: hierarchyIds } = catalog.doc
    const pricebooks = await publishedPricebooks(inside, catalogId, catalog.doc)
    const written = await writeEdition(
      inside,
      { catalogId, releaseId, hierarchyIds, ...pricebooks },
      progress,
    )
    return {
      ...written,
      name,
      description: description ?? '',
      hierarchies: await listHierarchyNames(inside, catalogId, hierarchyIds),
    }
  })
  const { isFull, isFirst, checkedProducts, ...attributes } = edition
  // PostgreSQL assumes that a catalog is almost empty until it has analyzed the tables.
  if (isFirst && checkedProducts > analyzeFrom) await analyzePublished(work.instance, checkedProducts)
  const { hidden } = (await work.store.findWhole(releases, releaseId, [catalogId])) as Release
  await show({
    ...attributes,
    is_full_publish: isFull,
    is_full_delta: isFirst || hidden.export_full_delta === true,
  })
}

async function listHierarchyNames({ store }: Work, catalogId: string, ids: readonly string[]) {
  const rows = await store.run(
    `SELECT id, name FROM published_nodes
     WHERE store_id = $1 AND catalog_id = $2 AND id = ANY($3::uuid[]) AND ${isCurrent()}`,
    catalogId,
    ids,
  )
  const names = new Map(rows.map(([id, name]) => [id, name as string]))
  return ids.flatMap((id) => {
    const name = names.get(id)
    return name === undefined ? [] : [{ id, name, label: name }]
  })
}

/** What a release shows when its edition is written; undefined before that. */
async function findResult(work: Work, { catalogId, releaseId }: ReleasePayload) {
  const edition = await editionOf(work, catalogId, releaseId)
  if (!edition) return undefined
  return {
    details: {
      published_at: edition.publishedAt,
      percent_completed: 100,
      total_products: await findTotal(work, catalogId, edition, 'published_products.listed_in'),
      total_nodes: await findTotal(work, catalogId, edition, 'published_nodes.nodes_of'),
    },
  }
}

async function findTotal(
  { store }: Work,
  catalogId: string,
  { edition }: Pick<Edition, 'edition'>,
  list: string,
): Promise<number> {
  const [row] = await store.run(editionTotal('$3', '$2::uuid', '$4::int'), catalogId, list, edition)
  return Number(row?.[0] ?? 0)
}

/**
 * Updates the statistics that PostgreSQL plans by. It would do so itself within minutes, and does it better then: a
 * tenth of its usual sample is enough where the catalog is most of what is published. Locked tables are skipped.
 */
async function analyzePublished({ database }: Instance, products: number): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.run({
      text: `SELECT set_config('default_statistics_target', '10', true)
             FROM pg_class WHERE oid = 'published_products'::regclass AND reltuples < $1::real`,
      values: [products],
    })
    const text = `ANALYZE (SKIP_LOCKED) ${publishedTables.join(', ')}`
    await transaction.run({ text, values: [], long: true, once: true })
  })
}

/** The price books that a catalog names. */
interface CatalogPricebooks {
  readonly pricebook_id?: string | null | undefined
  readonly pricebook_ids?: readonly PrioritizedPricebook[] | null | undefined
  readonly enable_price_segmentation?: boolean | undefined
}

/** The price books that are published with a catalog: its own, and those of catalog rules. */
async function publishedPricebooks(
  work: Work,
  catalogId: string,
  { pricebook_id, pricebook_ids, enable_price_segmentation: segmented = false }: CatalogPricebooks,
): Promise<Pick<EditionSources, 'pricebookIds' | 'ownPricebookIds' | 'segmented'>> {
  const own = [pricebook_id ?? [], inOrder(pricebook_ids ?? [])].flat()
  if (!segmented) return { pricebookIds: own, ownPricebookIds: own, segmented }
  const pricebookIds = [...new Set([...own, ...(await pricebooksOfRules(work, catalogId))])].sort()
  return { pricebookIds, ownPricebookIds: own, segmented }
}
