import { catalogs } from '../catalogs/index.ts'
import type { Work } from '../kernel/context.ts'
import { releases } from './releases.ts'

/** The one that shoppers see, and the two before it. */
const releasesKept = 3

/** Deletes the releases that are not kept any longer, and those of their time that failed. */
export async function forgetReleases(work: Work, catalogId: string): Promise<void> {
  await work.transaction(async (work) => {
    await work.store.hold(catalogs, catalogId)
    const gone = await work.store.removeAll(
      releases,
      (
        bind,
      ) => `r.catalog_id = ${bind(catalogId)} AND r.status IN ('PUBLISHED', 'FAILED') AND r.created_at < (
        SELECT o.created_at FROM catalog_releases o
        WHERE o.store_id = $1 AND o.catalog_id = ${bind(catalogId)} AND o.status = 'PUBLISHED'
        ORDER BY o.created_at DESC, o.id DESC OFFSET ${releasesKept - 1} LIMIT 1)`,
    )
    if (gone.length) await work.store.touch(catalogs, catalogId)
  })
}
