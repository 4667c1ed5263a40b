import { action } from '../../kernel/declare/action.ts'
import { choice, filePart } from '../../kernel/shape/fields.ts'
import { formBytesMax, importUpload, invalidFile, pimJobs, rowsMax, startPimJob } from '../../store/index.ts'
import { priceImport } from './price-import.ts'
import { stageLines, table } from './staged-lines.ts'

const compressions = ['none', 'gzip'] as const

const exampleLines = [
  { type: 'pricebook', attributes: { external_ref: 'retail', name: 'Retail' } },
  {
    ...{ type: 'product-price', pricebook_external_ref: 'retail' },
    attributes: {
      ...{ external_ref: 'retail-stool', sku: 'birch-stool' },
      currencies: { USD: { amount: 2500, includes_tax: false } },
    },
  },
]

/** Uploads a file of price books and prices, and starts the job that writes them. */
export const importPrices = action({
  name: 'import-prices',
  route: 'POST /pcm/pricebooks/import',
  about:
    'Creates and updates price books and prices from a JSONL file. A line names its object by `id`, which must exist, or ' +
    'by `external_ref`: if no object has it, the line creates one. The lines may be in any order. The first line that ' +
    'cannot be written ends the job; the lines written before it stay. ' +
    `A file has at most ${rowsMax.toLocaleString('en-US')} lines and 50 MiB.`,
  area: 'pricebooks',
  status: 201,
  upload: {
    bytesMax: formBytesMax,
    form: {
      file: filePart({
        required: true,
        about: 'The JSONL file.',
        example: exampleLines.map((line) => JSON.stringify(line)).join('\n'),
      }),
      file_compression: choice(compressions, {
        about: 'How the file is compressed. If it is left out, the content of the file decides.',
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
        mustMatchCompression(texts.get('file_compression'), isGzip)
        if (!lines) {
          const detail = 'The file is empty. Each line must be a price book or a price, as JSON.'
          throw invalidFile(detail, 'file')
        }
        return startPimJob(ctx, priceImport, { importId, lines })
      },
    }),
})

function mustMatchCompression(name: string | undefined, isGzip: boolean): void {
  if (name === undefined) return
  const compression = compressions.find((one) => one === name)
  if (!compression)
    throw invalidFile(`file_compression must be ${compressions.join(' or ')}.`, 'file_compression')
  if ((compression === 'gzip') === isGzip) return
  const is = isGzip ? 'compressed with gzip' : 'not compressed with gzip'
  throw invalidFile(`The file is ${is}, but file_compression is ${compression}.`, 'file_compression')
}
