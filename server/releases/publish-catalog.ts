import { catalogs } from '../catalogs/index.ts'
import { Problem } from '../kernel/errors.ts'
import { sequence } from '../kernel/feed/record.ts'
import { change } from '../kernel/request/operations.ts'
import type { Changes } from '../kernel/shape/fields.ts'
import { isTemporary } from '../kernel/storage/database.ts'
import { inEdition, isCurrent } from '../kernel/storage/editions.ts'
import type { Work } from '../kernel/work/context.ts'
import type { LongJob } from '../kernel/work/long-jobs.ts'
import {
  addPricebooksAfter,
  type Edition,
  editionOf,
  publishedPricebooks,
  publishedTables,
  writeEdition,
} from '../publishing/index.ts'
import { forgetReleases } from './forget-releases.ts'
import { type Release, type ReleaseFields, releases } from './releases.ts'

interface Asked {
  readonly catalogId: string
  readonly releaseId: string
}

/** Fewer products are found fast by any plan. */
const measuredMin = 1000

/** Progress is told no more often. */
const tellEveryMs = 1000

/**
 * Publishes a catalog: one transaction writes an edition of it, and with its commit shoppers see that. A worker that is
 * killed leaves nothing of it; whoever goes on begins again.
 */
export const publishCatalog: LongJob<Asked> = {
  name: 'releases:publish-catalog',
  long: true,
  run: async (work, asked) => {
    if (await begin(work, asked)) await carryOut(work, asked)
    // Rules that were written meanwhile wait for its end, also where it failed.
    await addPricebooksAfter(work, asked.catalogId)
  },
  wait: async (work, asked, waiting_for) => {
    const release = await holdOpen(work, asked)
    if (release && release.hidden.waiting_for !== waiting_for) await tell(work, asked, { waiting_for })
  },
  giveUp: async (work, asked) => {
    await fail(work, asked)
    await addPricebooksAfter(work, asked.catalogId)
  },
}

async function carryOut(work: Work, asked: Asked): Promise<void> {
  try {
    const written = await editionOf(work, asked.catalogId, asked.releaseId)
    if (!written) await publish(work, asked)
    await complete(work, asked)
  } catch (error) {
    if (isTemporary(error)) throw error
    work.instance.log.error({ err: error, release: asked.releaseId }, 'publishing failed')
    await fail(work, asked)
  }
}

const tell = (
  work: Work,
  { catalogId, releaseId }: Asked,
  changes: Changes<ReleaseFields>,
): Promise<Release> => change(work, releases, [catalogId], releaseId, changes)

/** The release, held, unless it is gone or has ended. */
async function holdOpen(work: Work, { catalogId, releaseId }: Asked): Promise<Release | undefined> {
  // From here on nobody deletes what it is made from: whoever deletes releases holds the catalog too.
  await work.store.hold(catalogs, catalogId)
  await work.store.hold(releases, releaseId)
  const release = await work.store.findWhole(releases, releaseId, [catalogId])
  return release && ['PENDING', 'IN_PROGRESS'].includes(release.hidden.status as string) ? release : undefined
}

/** Whether there is something to publish. */
const begin = (work: Work, asked: Asked): Promise<boolean> =>
  work.transaction(async (work) => {
    const release = await holdOpen(work, asked)
    if (!release) return false
    const { started_at = work.clock.now().toISOString() } = release.hidden
    await tell(work, asked, { status: 'IN_PROGRESS', started_at, waiting_for: undefined })
    return true
  })

/** One that another worker has published meanwhile stays published. */
async function fail(work: Work, asked: Asked): Promise<void> {
  if (await editionOf(work, asked.catalogId, asked.releaseId)) return complete(work, asked)
  await work.transaction(async (work) => {
    if (await holdOpen(work, asked)) await tell(work, asked, { status: 'FAILED', waiting_for: undefined })
  })
}

async function publish(work: Work, asked: Asked): Promise<void> {
  // What was written until now has its place in the change feed, which the snapshot looks at.
  await sequence(work.store)
  let toldMs = performance.now()
  const progress = async (percent_completed: number) => {
    if (performance.now() - toldMs < tellEveryMs) return
    toldMs = performance.now()
    await tell(work, asked, { percent_completed })
  }
  const facts = await work.snapshot(async (inside) => {
    const catalog = await inside.store.find(catalogs, asked.catalogId)
    if (!catalog) throw new Problem('not_found', 'catalog not found')
    const { name, description, hierarchy_ids: hierarchyIds } = catalog.doc
    const pricebooks = await publishedPricebooks(inside, asked.catalogId, catalog.doc)
    const written = await writeEdition(inside, { ...asked, hierarchyIds, ...pricebooks }, progress)
    return {
      ...written,
      name,
      description: description ?? '',
      hierarchies: await namesOf(inside, asked.catalogId, hierarchyIds),
    }
  })
  const { isFull, isFirst, looked, ...attributes } = facts
  // Of a catalog that it has not looked at yet the database thinks that there is next to nothing.
  if (isFirst && looked > measuredMin) await work.store.measure(publishedTables)
  const { hidden } = (await work.store.findWhole(releases, asked.releaseId, [asked.catalogId])) as Release
  await tell(work, asked, {
    ...attributes,
    is_full_publish: isFull,
    is_full_delta: isFirst || hidden.export_full_delta === true,
  })
}

async function namesOf({ store }: Work, catalogId: string, ids: readonly string[]) {
  const rows = await store.rows(
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

/** Tells that it is published, and deletes releases that nobody polls any more. */
async function complete(work: Work, asked: Asked): Promise<void> {
  const { publishedAt, ...edition } = (await editionOf(work, asked.catalogId, asked.releaseId)) as Edition
  await tell(work, asked, {
    status: 'PUBLISHED',
    published_at: publishedAt,
    percent_completed: 100,
    total_products: await totalOf(work, asked.catalogId, edition, 'published_products.listed_in'),
    total_nodes: await totalOf(work, asked.catalogId, edition, 'published_nodes.nodes_of'),
  })
  await forgetReleases(work, asked.catalogId)
}

async function totalOf(
  { store }: Work,
  catalogId: string,
  { edition }: Pick<Edition, 'edition'>,
  list: string,
): Promise<number> {
  const [row] = await store.rows(
    `SELECT n FROM edition_totals WHERE store_id = $1 AND list = $3 AND scope = ARRAY[$2::uuid]
       AND ${inEdition('$4::int')}`,
    catalogId,
    list,
    edition,
  )
  return Number(row?.[0] ?? 0)
}
