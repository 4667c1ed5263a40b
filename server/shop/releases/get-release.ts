import { action } from '../../kernel/declare/action.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { releases } from '../catalogs/releases.ts'
import { findRelease, releaseParameter } from './find-release.ts'

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
