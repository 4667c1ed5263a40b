import { catalogs, releases } from '../catalogs/index.ts'
import { action } from '../kernel/declare/action.ts'
import { Problem } from '../kernel/errors.ts'
import { noContent } from '../kernel/http/answer.ts'
import { findVisible } from '../kernel/query/find.ts'
import type { Work } from '../kernel/work/context.ts'
import { addMissingPricebooks, currentEdition, forgetAll, takeBack, withdraw } from '../publishing/index.ts'
import { findRelease, releaseParameter } from './find-release.ts'

export const deleteRelease = action({
  name: 'delete-catalog-release',
  route: 'DELETE /catalogs/:catalog_id/releases/:release_id',
  params: { release_id: releaseParameter },
  about:
    'Deletes a release. If it is the one that shoppers see, they see the one before it again. One that is being published ' +
    'is not deleted, and while it is, neither is the one that shoppers see.',
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
    'Deletes all releases of a catalog: shoppers see nothing of it. None of them may be being published.',
  area: 'catalogs',
  status: 204,
  async run(ctx, { params }) {
    const { id } = await findVisible(ctx, catalogs, params.catalog_id)
    const found = await ctx.store.rows(
      'SELECT id FROM catalog_releases WHERE store_id = $1 AND catalog_id = $2',
      id,
    )
    await removeReleases(
      ctx,
      id,
      found.map(([release]) => release as string),
    )
    return noContent
  },
})

async function removeReleases(work: Work, catalogId: string, ids: readonly string[]): Promise<void> {
  const { store } = work
  // Whoever publishes it waits, and whoever deletes another release of it.
  await store.hold(catalogs, catalogId)
  await store.hold(releases, ...ids)
  await mustNotBeInUse(work, catalogId, ids)
  await store.removeAll(
    releases,
    (bind) => `r.catalog_id = ${bind(catalogId)} AND r.id = ANY(${bind(ids)}::uuid[])`,
  )
  await store.touch(catalogs, catalogId)
  await withdraw(work, catalogId, ids)
  await showKept(work, catalogId)
  // The rules in effect name price books that the one before may not have.
  await addMissingPricebooks(work, catalogId)
}

/** A release that is being published is not deleted, and neither is the one that it is being made from. */
async function mustNotBeInUse(work: Work, catalogId: string, ids: readonly string[]): Promise<void> {
  const [busy] = await work.store.rows(
    `SELECT id FROM catalog_releases WHERE store_id = $1 AND catalog_id = $2 AND status = 'IN_PROGRESS' LIMIT 1`,
    catalogId,
  )
  if (!busy) return
  const current = await currentEdition(work, catalogId)
  if (ids.includes(busy[0] as string)) {
    throw new Problem('unprocessable', 'The release is being published: wait until that has ended.')
  }
  if (current && ids.includes(current.releaseId)) {
    throw new Problem(
      'unprocessable',
      'The next release is being made from this one: wait until that is published.',
    )
  }
}

/** Shoppers see the last edition whose release is there: what came after it is taken back. */
async function showKept(work: Work, catalogId: string): Promise<void> {
  const editions = await work.store.rows(
    `SELECT e.edition, r.id IS NOT NULL FROM catalog_editions e
     LEFT JOIN catalog_releases r ON r.store_id = e.store_id AND r.catalog_id = e.catalog_id AND r.id = e.release_id
     WHERE e.store_id = $1 AND e.catalog_id = $2 ORDER BY e.edition DESC`,
    catalogId,
  )
  const kept = editions.findIndex(([, isThere]) => isThere === 't')
  if (kept < 0) return forgetAll(work, catalogId)
  for (const [edition] of editions.slice(0, kept)) await takeBack(work, catalogId, Number(edition))
}
