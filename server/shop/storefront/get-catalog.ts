import { Problem } from '../../kernel/errors.ts'
import { entityTag } from '../../kernel/shape/answer.ts'
import { choice, describe, group, text } from '../../kernel/shape/fields.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { releases } from '../catalogs/releases.ts'
import { EditionGone, editionOf } from '../publishing/editions.ts'
import { linkField, present } from '../shown/shown-members.ts'
import type { View } from '../view/view.ts'
import { explanationOf } from './explanation.ts'
import type { PublishedRead } from './families.ts'

const { name, description, catalog_id, published_at, hierarchies } = releases.fields

const attributes = {
  name: present(name),
  description: present(description),
  catalog_id: present(catalog_id),
  published_at: present(published_at),
  hierarchies: present(hierarchies),
}

/** A release, as shoppers see it. */
const shownRelease = group(
  {
    type: choice([releases.type], { required: true }),
    id: text({ required: true, format: 'uuid' }),
    attributes: group(attributes, { required: true }),
    relationships: group(
      {
        hierarchies: linkField('related', 'The list of its hierarchies.'),
        products: linkField('related', 'The list of its products.'),
      },
      { required: true },
    ),
  },
  {},
)

/** Reads the release that a shopper sees. */
export const getCatalog: PublishedRead = {
  name: 'get-*-of-shopper',
  route: 'GET',
  about: 'Reads the release that the shopper sees. The rules choose its catalog.',
  shows: { data: describe(shownRelease) },
  async run(ctx, view) {
    const { catalogId, releaseId, publishedAt } = view.published
    const release = await ctx.store.findWhole(releases, releaseId, [catalogId])
    if (!release) throw await withoutRelease(ctx, view)
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
}

/**
 * An edition outlives its release, for clients that walk its lists. Only the current edition surely has a release.
 */
async function withoutRelease(ctx: Ctx, { published }: View): Promise<Problem> {
  const edition = await editionOf(ctx, published.catalogId, published.releaseId)
  return edition ? new Problem('not_found', 'The release no longer exists.') : new EditionGone()
}
