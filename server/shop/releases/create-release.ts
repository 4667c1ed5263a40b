import { action } from '../../kernel/declare/action.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { findByName } from '../../kernel/query/find.ts'
import { flag } from '../../kernel/shape/fields.ts'
import { startDocumented } from '../../store/index.ts'
import { catalogs } from '../catalogs/catalogs.ts'
import { releases } from '../catalogs/releases.ts'
import { publishCatalog } from './publish-catalog.ts'

/** Publishes the current state of a catalog. */
export const createRelease = action({
  name: 'publish-catalog',
  route: 'POST /catalogs/:catalog_id/releases',
  about:
    'Publishes a catalog: its live products that are in a node of its hierarchies, these nodes, and the prices of its ' +
    'price books. The response is the release. Shoppers see it when its `release_status` is PUBLISHED; until then, and ' +
    'if publishing fails, they see the previous release.',
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
        about: 'Whether the delta contains everything, not only the changes.',
      }),
      include_organization_resources: flag({
        nullable: true,
        about: 'Whether resources of the organization are published too. They do not exist on this server.',
      }),
    },
  },
  async run(ctx, { params, body }) {
    const { id } = await findByName(ctx, catalogs, params.catalog_id)
    await ctx.store.lockShared(catalogs, id)
    const catalog = await findByName(ctx, catalogs, id)
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
