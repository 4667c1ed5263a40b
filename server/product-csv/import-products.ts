import { pimJobs, startPimJob } from '../jobs/index.ts'
import { action } from '../kernel/declare/action.ts'
import { Problem } from '../kernel/errors.ts'
import { objectAnswer } from '../kernel/http/answer.ts'
import { readForm } from '../kernel/http/form.ts'
import { newId } from '../kernel/ids.ts'
import { filePart, text } from '../kernel/shape/fields.ts'
import { localeOf } from './cell-values.ts'
import { columnsOf } from './columns.ts'
import { bytesMax, columnsMax, rowCharactersMax, rowsMax } from './file-limits.ts'
import { productImport } from './product-import.ts'
import { dropStaged, stagedCount, stageRows } from './staged-rows.ts'
import { templateColumns } from './template-columns.ts'

/** What is around the file in a form. */
const aroundBytesMax = 64 * 1024

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
  upload: { bytesMax: bytesMax + aroundBytesMax, form: { file: filePart({ about: 'The CSV file.' }) } },
  shows: { resource: pimJobs },
  async run(ctx, { upload, headers, query }) {
    const importId = newId()
    let header: readonly string[] | undefined
    try {
      await readForm(upload, headers['content-type'] as string | undefined, 'file', async ({ content }) => {
        header = await stageRows(ctx, importId, content, async (names) => {
          const columns = columnsOf(names)
          await ctx.transaction((work) => templateColumns(work, columns))
          return columns
        })
      })
      if (!header)
        throw new Problem('bad_request', 'Send the CSV file as a part named file.', { source: 'file' })
      const asked = {
        ...{ importId, header, rows: await stagedCount(ctx, importId) },
        locale: localeOf(new URLSearchParams(query).get('locale')),
      }
      return objectAnswer(201, pimJobs, await startPimJob(ctx, productImport, asked), ctx)
    } catch (error) {
      // Where the database is away, the rows are forgotten later.
      await dropStaged(ctx, importId).catch(() => {})
      throw error
    }
  },
})
