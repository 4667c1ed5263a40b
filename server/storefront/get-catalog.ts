import { action } from '../kernel/action.ts'
import { Problem } from '../kernel/errors.ts'
import { entityTag } from '../kernel/http/answer.ts'
import { releases } from '../releases/index.ts'
import { explanationOf } from './explanation.ts'
import { shopperView } from './views.ts'

/** What a shopper sees. */
export const getCatalog = action({
  name: 'get-catalog-of-shopper',
  route: 'GET /catalog',
  about: 'Reads which release of which catalog the shopper sees: the rules choose the catalog.',
  area: 'catalog',
  status: 200,
  shows: { resource: releases },
  async run(ctx, call) {
    const view = await shopperView(ctx, call)
    const { catalogId, releaseId, publishedAt } = view.published
    const release = await ctx.store.findWhole(releases, releaseId, [catalogId])
    if (!release) throw new Problem('not_found', 'The release is not kept any longer.')
    const { name, description, hierarchies } = release.doc
    const explanation = explanationOf(view)
    const body = JSON.stringify({
      data: {
        type: releases.type,
        id: releaseId,
        attributes: {
          name,
          description: description ?? '',
          catalog_id: catalogId,
          published_at: publishedAt,
          hierarchies: hierarchies ?? [],
        },
        relationships: {
          hierarchies: { links: { related: `${view.prefix}/hierarchies` } },
          products: { links: { related: `${view.prefix}/products` } },
        },
      },
      links: { self: `${ctx.baseUrl}${view.prefix}` },
      ...(explanation && { meta: { explanation } }),
    })
    return { status: 200, body, headers: { etag: entityTag(body) } }
  },
})
