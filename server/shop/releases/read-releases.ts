import { action } from '../../kernel/declare/action.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { scopeOf } from '../../kernel/query/find.ts'
import { list } from '../../kernel/request/operations.ts'
import { releases } from '../catalogs/releases.ts'
import { findRelease, releaseParameter } from './find-release.ts'

/** The list does not grow: old releases are deleted as new ones are published. */
export const listReleases = action({
  name: 'list-catalog-releases',
  route: 'GET /catalogs/:catalog_id/releases',
  about:
    'Lists the releases of a catalog, newest first: the current one and the two before it, those that failed since then, and those that are not published yet.',
  area: 'catalogs',
  status: 200,
  shows: { resource: releases, page: true },
  run: async (ctx, call) => list(ctx, releases, await scopeOf(ctx, releases, call.params), call),
})

export const getRelease = action({
  name: 'get-catalog-release',
  route: 'GET /catalogs/:catalog_id/releases/:release_id',
  params: { release_id: releaseParameter },
  about: 'Reads a release. `latestPublished` in place of its id stands for the one that shoppers see.',
  area: 'catalogs',
  status: 200,
  shows: { resource: releases },
  run: async (ctx, { params }) => objectAnswer(200, releases, await findRelease(ctx, params), ctx),
})
