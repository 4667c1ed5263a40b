import { module } from '../../kernel/module.ts'
import { releases } from '../catalogs/releases.ts'
import { createRelease } from './create-release.ts'
import { deleteRelease, deleteReleases } from './delete-release.ts'
import { forgetOldReleases } from './forget-releases.ts'
import { getRelease } from './get-release.ts'
import { listReleases } from './list-releases.ts'
import { publishCatalog } from './publish-catalog.ts'

export const releaseChapter = module({
  name: 'releases',
  about: 'Publishes catalogs.',
  alsoUnder: '/pcm',
  resources: [releases],
  actions: [listReleases, createRelease, getRelease, deleteRelease, deleteReleases],
  jobs: [publishCatalog],
  chores: [forgetOldReleases],
})
