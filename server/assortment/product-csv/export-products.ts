import { findTemplates } from '../../fields/index.ts'
import { action } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { flag, group, list, text } from '../../kernel/shape/fields.ts'
import { bytesMax, columnsMax, pimJobs, startPimJob } from '../../store/index.ts'
import { parseColumns } from './export-columns.ts'
import { exportedSql } from './exported-products.ts'
import { exportedRowsMax, productExport } from './product-export.ts'

/** Starts the job that writes products to CSV files. */
export const exportProducts = action({
  name: 'export-products',
  route: 'POST /pcm/products/export',
  about:
    'Starts a job that writes products to CSV files: all products, or those that match a filter, except bundles. ' +
    `A file has at most ${exportedRowsMax.toLocaleString('en-US')} rows and ${bytesMax / 1024 / 1024} MiB, and can be imported. ` +
    'When the job has ended, `meta.file_locations` has the URLs of the files. They are valid for an hour and need no token.',
  area: 'products',
  status: 201,
  query: {
    filter: text({
      about: 'Selects the products, as the filter of their list does.',
      example: 'eq(status,live)',
    }),
    useTemplateSlugs: flag({
      default: false,
      about:
        'Whether template columns are named `products(<slug>):<field>` instead of `template:<flow>:<field>`.',
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
                  'The columns to export; id, name, sku, external_ref and commodity_type are always exported. ' +
                  'The default is all columns. `admin_attributes.*` stands for all keys that products have.',
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
    const parameters = new URLSearchParams(query)
    const filter = parameters.get('filter') ?? ''
    exportedSql(filter)
    const columns = parseColumns({
      include: attributes?.columns?.include ?? undefined,
      templates: await findTemplates(ctx),
      useTemplateSlugs: flagIn(parameters, 'useTemplateSlugs'),
    })
    const payload = { columns, filter, baseUrl: ctx.baseUrl }
    const details = { ...(filter && { filter }), file_locations: null }
    return objectAnswer(201, pimJobs, await startPimJob(ctx, productExport, payload, details), ctx)
  },
})

/** A parameter that is true or false; false where it is left out, or empty. */
function flagIn(parameters: URLSearchParams, name: string): boolean {
  const text = parameters.get(name) || 'false'
  if (text === 'true' || text === 'false') return text === 'true'
  throw new Problem(
    'bad_request',
    `${name} must be true or false, not ${JSON.stringify(text.slice(0, 40))}.`,
    {
      source: name,
    },
  )
}
