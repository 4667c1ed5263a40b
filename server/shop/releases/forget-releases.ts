import type { Work } from '../../kernel/work/context.ts'
import type { Chore } from '../../kernel/work/job.ts'
import { workOf } from '../../kernel/work/work-of.ts'
import { catalogs } from '../catalogs/catalogs.ts'
import { releases } from '../catalogs/releases.ts'
import { editionsMax } from '../publishing/forget-editions.ts'

/** Clients poll the release that they have started, however many others are published meanwhile. */
const polledMs = 3_600_000

/** The maximum number of releases of a catalog. */
const releasesMax = 100

/** Deletes releases without content when no client polls them any more. */
export async function forgetReleases(work: Work, catalogId: string): Promise<void> {
  // A release changes for the last time when it ends.
  const publishedSql = (n: number) => `(SELECT o.updated_at FROM catalog_releases o
    WHERE o.store_id = $1 AND o.catalog_id = r.catalog_id AND o.status = 'PUBLISHED'
    ORDER BY o.updated_at DESC, o.id DESC OFFSET ${n - 1} LIMIT 1)`
  await work.transaction(async (work) => {
    await work.store.lock(catalogs, catalogId)
    const polledSince = new Date(work.clock.now().getTime() - polledMs)
    const gone = await work.store.removeAll(
      releases,
      (bind) => `r.catalog_id = ${bind(catalogId)} AND r.status IN ('PUBLISHED', 'FAILED')
        AND r.updated_at < ${publishedSql(editionsMax)}
        AND (r.updated_at < ${bind(polledSince)} OR r.updated_at < ${publishedSql(releasesMax)})`,
    )
    if (gone.length) await work.store.touch(catalogs, catalogId)
  })
}

/** Deletes old releases of catalogs that are no longer published. */
export const forgetOldReleases: Chore = {
  name: 'releases:forget-releases',
  attemptsMax: 3,
  every: '*/10 * * * *',
  run: async (instance) => {
    const catalogs = await instance.database.run({
      text: `SELECT store_id, catalog_id FROM catalog_releases WHERE status IN ('PUBLISHED', 'FAILED')
             GROUP BY store_id, catalog_id
             HAVING count(*) > $1 AND min(updated_at) < $2 ORDER BY store_id, catalog_id`,
      values: [editionsMax, new Date(instance.clock.now().getTime() - polledMs)],
    })
    for (const [store, catalogId] of catalogs) {
      await forgetReleases(workOf(instance, { store: store as string, by: 'system ' }), catalogId as string)
      instance.onWrite(store as string)
    }
  },
}
