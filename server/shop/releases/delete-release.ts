import { action } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { findByName } from '../../kernel/query/find.ts'
import { noContent } from '../../kernel/shape/answer.ts'
import type { Work } from '../../kernel/work/context.ts'
import { catalogs } from '../catalogs/catalogs.ts'
import { releases } from '../catalogs/releases.ts'
import { addMissingPricebooks } from '../publishing/add-pricebooks.ts'
import { currentEdition, forgetAll, takeBack, withdraw } from '../publishing/editions.ts'
import { findRelease, releaseParameter } from './find-release.ts'

export const deleteRelease = action({
  name: 'delete-catalog-release',
  route: 'DELETE /catalogs/:catalog_id/releases/:release_id',
  params: { release_id: releaseParameter },
  about:
    'Deletes a release. If shoppers see it, they see the previous release again. While a release is being ' +
    'published, neither it nor the current release can be deleted.',
  area: 'catalogs',
  status: 204,
  async run(ctx, { params }) {
    const { id, scope } = await findRelease(ctx, params)
    await removeReleases(ctx, scope[0] as string, [id])
    return noContent
  },
})

export const deleteReleases = action({
  name: 'delete-catalog-releases',
  route: 'DELETE /catalogs/:catalog_id/releases',
  about:
    'Deletes all releases of a catalog, so that shoppers see nothing of it. This is refused while a release is being published.',
  area: 'catalogs',
  status: 204,
  async run(ctx, { params }) {
    const { id } = await findByName(ctx, catalogs, params.catalog_id)
    const rows = await ctx.store.run(
      'SELECT id FROM catalog_releases WHERE store_id = $1 AND catalog_id = $2',
      id,
    )
    await removeReleases(
      ctx,
      id,
      rows.map(([release]) => release as string),
    )
    return noContent
  },
})

async function removeReleases(work: Work, catalogId: string, ids: readonly string[]): Promise<void> {
  const { store } = work
  // Publishing and other deletions of its releases wait.
  await store.lock(catalogs, catalogId)
  await store.lock(releases, ...ids)
  await refuseIfInUse(work, catalogId, ids)
  await store.removeAll(
    releases,
    (bind) => `r.catalog_id = ${bind(catalogId)} AND r.id = ANY(${bind(ids)}::uuid[])`,
  )
  await store.touch(catalogs, catalogId)
  await withdraw(work, catalogId, ids)
  await restoreLatest(work, catalogId)
  // Rules in effect may name price books that the previous release does not have.
  await addMissingPricebooks(work, catalogId)
}

/** A release in publishing cannot be deleted, nor can the release that it is based on. */
async function refuseIfInUse(work: Work, catalogId: string, ids: readonly string[]): Promise<void> {
  const [busy] = await work.store.run(
    `SELECT id FROM catalog_releases WHERE store_id = $1 AND catalog_id = $2 AND status = 'IN_PROGRESS' LIMIT 1`,
    catalogId,
  )
  if (!busy) return
  const current = await currentEdition(work, catalogId)
  if (ids.includes(busy[0] as string)) {
    throw new Problem('unprocessable', 'The release is being published. Delete it when that has ended.')
  }
  if (current && ids.includes(current.releaseId)) {
    throw new Problem(
      'unprocessable',
      'The next release is being published and is based on this one. Delete it when that has ended.',
    )
  }
}

/** Makes the last edition whose release still exists the current one, and takes back the editions after it. */
async function restoreLatest(work: Work, catalogId: string): Promise<void> {
  const editions = await work.store.run(
    `SELECT e.edition, r.id IS NOT NULL FROM catalog_editions e
     LEFT JOIN catalog_releases r ON r.store_id = e.store_id AND r.catalog_id = e.catalog_id AND r.id = e.release_id
     WHERE e.store_id = $1 AND e.catalog_id = $2 ORDER BY e.edition DESC`,
    catalogId,
  )
  const latest = editions.findIndex(([, isThere]) => isThere === 't')
  if (latest < 0) return forgetAll(work, catalogId)
  for (const [edition] of editions.slice(0, latest)) await takeBack(work, catalogId, Number(edition))
}
