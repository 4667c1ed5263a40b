import { releases } from '../catalogs/index.ts'
import { action } from '../kernel/declare/action.ts'
import { scopeOf } from '../kernel/query/find.ts'
import { list } from '../kernel/request/operations.ts'

/** No list that grows: the releases before the last three go as new ones come. */
export const listReleases = action({
  name: 'list-catalog-releases',
  route: 'GET /catalogs/:catalog_id/releases',
  about:
    'Lists the releases of a catalog, the newest first: the one that shoppers see and the two before it, those that failed since, and those to come.',
  area: 'catalogs',
  status: 200,
  shows: { resource: releases, page: true },
  run: async (ctx, call) => list(ctx, releases, await scopeOf(ctx, releases, call.params), call),
})
