import { columnsMax, formBytesMax, importUpload, rowCharactersMax, rowsMax } from '../imports/index.ts'
import { pimJobs, startPimJob } from '../jobs/index.ts'
import { action } from '../kernel/declare/action.ts'
import { filePart, text } from '../kernel/shape/fields.ts'
import { localeOf } from './cell-values.ts'
import { columnsOf } from './columns.ts'
import { productImport } from './product-import.ts'
import { stagedCount, stageRows, table } from './staged-rows.ts'
import { templateColumns } from './template-columns.ts'

/** Takes a CSV file, and asks for the job that makes products of its rows. */
export const importProducts = action({
  name: 'import-products',
  route: 'POST /pcm/products/import',
  about:
    'Creates and changes the products that the rows of a CSV file are about: those with the `id` of a row, or with its ' +
    '`external_ref`; a row of neither is a new product. What has no column stays as it is. Rows that cannot be ' +
    'imported are errors of the job, and the others are imported. The file is UTF-8 (or UTF-16 with a byte order mark), ' +
    'separated by commas, semicolons or tabs. ' +
    `It has at most ${rowsMax} rows and 50 MiB, and a row at most ${columnsMax} cells and ${rowCharactersMax} characters.`,
  area: 'products',
  status: 201,
  query: {
    locale: text({
      about:
        'How days are written: `en-US` (1/31/2026 15:04:05, 1/31/26 15:04), `en-GB` or `en-CA` (31/1/2026 15:04:05, ' +
        '31/1/26 15:04). Days as 2026-01-31 are read with any, and others are ignored.',
      example: 'en-GB',
    }),
  },
  upload: { bytesMax: formBytesMax, form: { file: filePart({ about: 'The CSV file.' }) } },
  shows: { resource: pimJobs },
  run: (ctx, call) =>
    importUpload(ctx, call, {
      format: 'CSV',
      table,
      stage: (importId, content) =>
        stageRows(ctx, importId, content, async (names) => {
          const columns = columnsOf(names)
          await ctx.transaction((work) => templateColumns(work, columns))
          return columns
        }),
      async start(importId, header) {
        const rows = await stagedCount(ctx, importId)
        const locale = localeOf(new URLSearchParams(call.query).get('locale'))
        return startPimJob(ctx, productImport, { importId, header, rows, locale })
      },
    }),
})
