import { catalogs } from '../catalogs/index.ts'
import type { Work } from '../kernel/context.ts'
import { Problem } from '../kernel/errors.ts'
import { sequence } from '../kernel/feed.ts'
import type { Changes } from '../kernel/fields.ts'
import type { Job } from '../kernel/jobs.ts'
import { change } from '../kernel/operations.ts'
import {
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

/** How often publishing is begun that never comes to an end. */
const beginningsMax = 5

/** Fewer products are found fast by any plan. */
const measuredMin = 1000

/** Progress is told no more often. */
const tellEveryMs = 1000

/**
 * Publishes a catalog: one transaction writes an edition of it, and with its commit shoppers see that. A worker that is
 * killed leaves nothing of it; whoever goes on begins again.
 */
export const publishCatalog: Job<Asked> = {
  name: 'releases:publish-catalog',
  // More often than it is begun: it ends before the queue gives it up.
  attemptsMax: 25,
  long: true,
  run: async (work, asked) => {
    const release = await begin(work, asked)
    if (!release) return
    try {
      const written = await editionOf(work, asked.catalogId, asked.releaseId)
      if (!written) await publish(work, asked)
      await complete(work, asked)
    } catch (error) {
      // The queue tries again: the database is away, or others came first time after time.
      if (error instanceof Problem && (error.status >= 500 || error.code === 'conflict')) throw error
      work.instance.log.error({ err: error, release: asked.releaseId }, 'publishing failed')
      await tell(work, asked, { status: 'FAILED' })
    }
  },
}

const tell = (
  work: Work,
  { catalogId, releaseId }: Asked,
  changes: Changes<ReleaseFields>,
): Promise<Release> => change(work, releases, [catalogId], releaseId, changes)

/** Undefined where it is gone, has ended, or ends here as it never comes to an end. */
async function begin(work: Work, asked: Asked): Promise<Release | undefined> {
  const { catalogId, releaseId } = asked
  return work.transaction(async (work) => {
    // From here on nobody deletes what it is made from: whoever deletes releases holds the catalog too.
    await work.store.hold(catalogs, catalogId)
    await work.store.hold(releases, releaseId)
    const release = await work.store.findWhole(releases, releaseId, [catalogId])
    if (!release || !['PENDING', 'IN_PROGRESS'].includes(release.hidden.status as string)) return undefined
    const { begun = 0, started_at = work.clock.now().toISOString() } = release.hidden
    if (begun >= beginningsMax) {
      await tell(work, asked, { status: 'FAILED' })
      return undefined
    }
    return tell(work, asked, { status: 'IN_PROGRESS', started_at, begun: begun + 1 })
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
     WHERE store_id = $1 AND catalog_id = $2 AND id = ANY($3::uuid[]) AND until = 2147483647`,
    catalogId,
    ids,
  )
  const names = new Map(rows.map(([id, name]) => [id, name as string]))
  return ids.flatMap((id) => {
    const name = names.get(id)
    return name === undefined ? [] : [{ id, name, label: name }]
  })
}

/** Tells that it is published, and lets go of the releases that are not kept any longer. */
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
       AND since <= $4::int AND until > $4::int`,
    catalogId,
    list,
    edition,
  )
  return Number(row?.[0] ?? 0)
}
