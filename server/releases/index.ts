import { module } from '../kernel/module.ts'
import { createRelease } from './create-release.ts'
import { deleteRelease, deleteReleases } from './delete-release.ts'
import { forgetEditions } from './forget-releases.ts'
import { getRelease } from './get-release.ts'
import { listReleases } from './list-releases.ts'
import { publishCatalog } from './publish-catalog.ts'
import { releases as releaseResource } from './releases.ts'

export { isDeltaLink } from './delta-link.ts'
export { currentEdition, currentEditionSql, type Edition, editionOf, toEdition } from './editions.ts'
export { findPublished, findRelease, type Published } from './find-release.ts'
export { componentProducts, defaultOptions, type PublishedFacts } from './published-product.ts'
export { repricedProducts } from './repriced-products.ts'
export { valueId } from './value-id.ts'
export { codeOf, folded, wordsOf } from './words.ts'
export { releaseResource as releases }

export const releaseChapter = module({
  name: 'releases',
  about: 'What of a catalog is published.',
  alsoUnder: '/pcm',
  resources: [releaseResource],
  actions: [listReleases, createRelease, getRelease, deleteRelease, deleteReleases],
  jobs: [publishCatalog],
  chores: [forgetEditions],
})
