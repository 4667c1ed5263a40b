import { formBytesMax, importUpload, invalidFile, rowsMax } from '../imports/index.ts'
import { pimJobs, startPimJob } from '../jobs/index.ts'
import { action } from '../kernel/declare/action.ts'
import { choice, filePart } from '../kernel/shape/fields.ts'
import { priceImport } from './price-import.ts'
import { stageLines, table } from './staged-lines.ts'

const compressions = ['none', 'gzip'] as const

/** Takes a file of price books and prices, and asks for the job that writes them. */
export const importPrices = action({
  name: 'import-prices',
  route: 'POST /pcm/pricebooks/import',
  about:
    'Creates and changes price books and prices, each of which is a line of a file (JSONL): those with the `id` of a line, ' +
    'which must be there, or with its `external_ref`; where no object has that, it is a new one. The lines may be in any ' +
    'order. The first that cannot be written ends the job; those that were written by then stay. ' +
    `A file has at most ${rowsMax} lines and 50 MiB.`,
  area: 'pricebooks',
  status: 201,
  upload: {
    bytesMax: formBytesMax,
    form: {
      file: filePart({ required: true, about: 'The JSONL file.' }),
      file_compression: choice(compressions, {
        about: 'How the file is packed. Without it the file itself tells.',
      }),
    },
  },
  shows: { resource: pimJobs },
  run: (ctx, call) =>
    importUpload(ctx, call, {
      format: 'JSONL',
      table,
      stage: (importId, content) => stageLines(ctx, importId, content),
      async start(importId, { lines, isGzip }, texts) {
        mustBePacked(texts.get('file_compression'), isGzip)
        if (!lines) {
          const detail = 'The file is empty. Each line must be a price book or a price, as JSON.'
          throw invalidFile(detail, 'file')
        }
        return startPimJob(ctx, priceImport, { importId, lines })
      },
    }),
})

function mustBePacked(said: string | undefined, isGzip: boolean): void {
  if (said === undefined) return
  const known = compressions.find((one) => one === said)
  if (!known) throw invalidFile(`file_compression is ${compressions.join(' or ')}.`, 'file_compression')
  if ((known === 'gzip') === isGzip) return
  const is = isGzip ? 'packed with gzip' : 'not packed with gzip'
  throw invalidFile(`The file is ${is}, and file_compression says ${known}.`, 'file_compression')
}
