import { findTemplates } from '../flows/index.ts'
import { bytesMax, columnsMax } from '../imports/index.ts'
import { pimJobs, startPimJob } from '../jobs/index.ts'
import { action } from '../kernel/declare/action.ts'
import { objectAnswer } from '../kernel/http/object-answer.ts'
import { flag, group, list, text } from '../kernel/shape/fields.ts'
import { wantedColumns } from './export-columns.ts'
import { foundBy } from './found-products.ts'
import { exportedRowsMax, productExport } from './product-export.ts'

/** Asks for the job that writes products to CSV files. */
export const exportProducts = action({
  name: 'export-products',
  route: 'POST /pcm/products/export',
  about:
    'Asks for CSV files of products, all or those that a filter finds, without bundles; the answer is the job that ' +
    `writes them. A file has at most ${exportedRowsMax} rows and ${bytesMax / 1024 / 1024} MiB, and can be imported. ` +
    'When the job has ended, `meta.file_locations` says where they are, for an hour and without a token.',
  area: 'products',
  status: 201,
  query: {
    filter: text({ about: 'Which products: a filter of their list.', example: 'eq(status,live)' }),
    useTemplateSlugs: flag({
      default: false,
      about:
        'Whether columns of templates are named `products(<slug>):<field>`, and not `template:<flow>:<field>`.',
    }),
  },
  body: {
    type: 'product-export',
    optional: true,
    fields: {
      attributes: group(
        {
          columns: group(
            {
              include: list(text({ max: 1000 }), {
                nullable: true,
                maxItems: columnsMax,
                about:
                  'Which columns, beside those that are always there: id, name, sku, external_ref, commodity_type. ' +
                  'All there are, where nothing is said. `admin_attributes.*` stands for all keys that products have.',
              }),
            },
            { nullable: true },
          ),
        },
        { nullable: true },
      ),
    },
  },
  shows: { resource: pimJobs },
  async run(ctx, { body: { attributes }, query }) {
    const asked = new URLSearchParams(query)
    const filter = asked.get('filter') ?? ''
    foundBy(filter)
    const wanted = wantedColumns({
      include: attributes?.columns?.include ?? undefined,
      templates: await findTemplates(ctx),
      useTemplateSlugs: asked.get('useTemplateSlugs') === 'true',
    })
    const payload = { wanted, filter, baseUrl: ctx.baseUrl }
    const details = { ...(filter && { filter }), file_locations: null }
    return objectAnswer(201, pimJobs, await startPimJob(ctx, productExport, payload, details), ctx)
  },
})
