import { action } from '../../kernel/declare/action.ts'
import { filePart, text } from '../../kernel/shape/fields.ts'
import {
  columnsMax,
  formBytesMax,
  importUpload,
  pimJobs,
  rowCharactersMax,
  rowsMax,
  startPimJob,
} from '../../store/index.ts'
import { findLocale } from './cell-values.ts'
import { parseHeader } from './columns.ts'
import { productImport } from './product-import.ts'
import { countStaged, stageRows, table } from './staged-rows.ts'
import { findTemplateColumns } from './template-columns.ts'

export const importProducts = action({
  name: 'import-products',
  route: 'POST /pcm/products/import',
  about:
    'Creates and updates products from a CSV file. A row names its product by `id` or `external_ref`; a row without ' +
    'either creates a product. Attributes without a column do not change. Rows that cannot be imported are errors of ' +
    'the job; the other rows are imported. The file is UTF-8, or UTF-16 with a byte order mark, and separated by ' +
    'commas, semicolons or tabs. ' +
    `It has at most ${rowsMax.toLocaleString('en-US')} rows and 50 MiB. A row has at most ` +
    `${columnsMax.toLocaleString('en-US')} cells and ${rowCharactersMax.toLocaleString('en-US')} characters.`,
  area: 'products',
  status: 201,
  query: {
    locale: text({
      about:
        'How dates are written: `en-US` (1/31/2026, 1/31/26 15:04), `en-GB` or `en-CA` (31/1/2026, 31/1/26 15:04:05). ' +
        'The time may be left out. Every locale also accepts 2026-01-31. Other values are ignored.',
      example: 'en-GB',
    }),
  },
  upload: {
    bytesMax: formBytesMax,
    form: {
      file: filePart({
        required: true,
        about: 'The CSV file.',
        example: 'name,commodity_type,sku,status\nBirch stool,physical,birch-stool,live\n',
      }),
    },
  },
  shows: { resource: pimJobs },
  run: (ctx, call) =>
    importUpload(ctx, call, {
      format: 'CSV',
      table,
      stage: (importId, content) =>
        stageRows(ctx, importId, content, async (names) => {
          const columns = parseHeader(names)
          await ctx.transaction((work) => findTemplateColumns(work, columns))
          return columns
        }),
      async start(importId, header) {
        const rows = await countStaged(ctx, importId)
        const locale = findLocale(new URLSearchParams(call.query).get('locale'))
        return startPimJob(ctx, productImport, { importId, header, rows, locale })
      },
    }),
})
