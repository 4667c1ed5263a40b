import { Problem } from '../../kernel/errors.ts'
import { findById, findByName } from '../../kernel/query/find.ts'
import { text } from '../../kernel/shape/fields.ts'
import type { Work } from '../../kernel/work/context.ts'
import { catalogs } from '../catalogs/catalogs.ts'
import { type Release, releases } from '../catalogs/releases.ts'
import { type CatalogEdition, currentEdition, editionOf } from '../publishing/editions.ts'

/** Names of the current release, in place of its id. */
const current = ['latestPublished', 'latest']

/** For the API document. */
export const releaseParameter = text({
  about: 'The id of a release. `latestPublished` or `latest` stands for the one that shoppers see.',
})

interface ReleaseParameters {
  readonly catalog_id: string
  readonly release_id: string
}

/** Finds the release that a path names; throws a Problem (404) if there is none. */
export async function findRelease(
  work: Work,
  { catalog_id, release_id }: ReleaseParameters,
): Promise<Release> {
  const { id: catalogId } = await findByName(work, catalogs, catalog_id)
  if (!current.includes(release_id)) return findByName(work, releases, release_id, [catalogId])
  const edition = await currentEdition(work, catalogId)
  if (!edition) throw new Problem('not_found', 'The catalog has no published release.')
  return findById(work, releases, edition.releaseId, [catalogId])
}

/** Finds the edition of the release that a path names; throws a Problem (404) if it is not published. */
export async function findPublishedEdition(work: Work, named: ReleaseParameters): Promise<CatalogEdition> {
  const { id, scope, hidden } = await findRelease(work, named)
  const [catalogId = ''] = scope
  const edition = await editionOf(work, catalogId, id)
  if (!edition) {
    const isOld = hidden.status === 'PUBLISHED'
    throw new Problem(
      'not_found',
      isOld
        ? 'The content of this release has been deleted; only recent releases keep theirs.'
        : 'The release is not published.',
    )
  }
  return { ...edition, catalogId }
}
