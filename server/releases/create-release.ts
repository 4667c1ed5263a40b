import { catalogs, releases } from '../catalogs/index.ts'
import { startDocumented } from '../jobs/index.ts'
import { action } from '../kernel/declare/action.ts'
import { objectAnswer } from '../kernel/http/object-answer.ts'
import { findVisible } from '../kernel/query/find.ts'
import { flag } from '../kernel/shape/fields.ts'
import { publishCatalog } from './publish-catalog.ts'

/** Publishes a catalog as it is now. */
export const createRelease = action({
  name: 'publish-catalog',
  route: 'POST /catalogs/:catalog_id/releases',
  about:
    'Publishes a catalog: its products that are live and in a node of its hierarchies, their nodes, and the prices of ' +
    'its price books. The answer is the release; when its `release_status` is PUBLISHED, shoppers see it. What they see ' +
    'stays as it is until then, and if it fails.',
  area: 'catalogs',
  status: 201,
  shows: { resource: releases },
  body: {
    type: 'catalog-release',
    optional: true,
    typeOptional: true,
    fields: {
      export_full_delta: flag({
        default: false,
        about: 'Whether the delta is to have all that is published.',
      }),
      include_organization_resources: flag({
        nullable: true,
        about:
          'Whether what the organization shares is published too. A server of one store has nothing that is shared.',
      }),
    },
  },
  async run(ctx, { params, body }) {
    const { id } = await findVisible(ctx, catalogs, params.catalog_id)
    await ctx.store.keep(catalogs, id)
    const catalog = await findVisible(ctx, catalogs, id)
    const { name, description = '', enable_price_segmentation } = catalog.doc
    const values = {
      name,
      description,
      catalog_id: id,
      published_at: null,
      export_full_delta: body.export_full_delta ?? false,
      price_segmentation_enabled: enable_price_segmentation ?? false,
    }
    const release = await startDocumented(ctx, publishCatalog, { scope: [id], values }, (releaseId) => ({
      catalogId: id,
      releaseId,
    }))
    await ctx.store.touch(catalogs, id)
    return objectAnswer(201, releases, release, ctx)
  },
})
