import { pimJobs, startPimJob } from '../jobs/index.ts'
import { action } from '../kernel/declare/action.ts'
import { Problem } from '../kernel/errors.ts'
import { objectAnswer } from '../kernel/http/answer.ts'
import { readForm } from '../kernel/http/form.ts'
import { newId } from '../kernel/ids.ts'
import { choice, filePart } from '../kernel/shape/fields.ts'
import { bytesMax, linesMax } from './file-limits.ts'
import { priceImport } from './price-import.ts'
import { dropStaged, stageLines } from './staged-lines.ts'

/** What is around the file in a form. */
const aroundBytesMax = 64 * 1024

const compressions = ['none', 'gzip'] as const

/** Takes a file of price books and prices, and asks for the job that writes them. */
export const importPrices = action({
  name: 'import-prices',
  route: 'POST /pcm/pricebooks/import',
  about:
    'Creates and changes price books and prices, each of which is a line of a file (JSONL): those with the `id` of a line, ' +
    'which must be there, or with its `external_ref`; where no object has that, it is a new one. The lines may be in any ' +
    'order. The first that cannot be written ends the job; those that were written by then stay. ' +
    `A file has at most ${linesMax} lines and 50 MiB.`,
  area: 'pricebooks',
  status: 201,
  upload: {
    bytesMax: bytesMax + aroundBytesMax,
    form: {
      file: filePart({ required: true, about: 'The JSONL file.' }),
      file_compression: choice(compressions, {
        about: 'How the file is packed. Without it the file itself tells.',
      }),
    },
  },
  shows: { resource: pimJobs },
  async run(ctx, { upload, headers }) {
    const importId = newId()
    let staged: Awaited<ReturnType<typeof stageLines>> | undefined
    try {
      const texts = await readForm(
        upload,
        headers['content-type'] as string | undefined,
        'file',
        async ({ content }) => {
          staged = await stageLines(ctx, importId, content)
        },
      )
      if (!staged)
        throw new Problem('bad_request', 'Send the JSONL file as a part named file.', { source: 'file' })
      const { lines, isGzip } = staged
      mustBePacked(texts.get('file_compression'), isGzip)
      if (!lines)
        throw refuse('file', 'The file is empty. Each line must be a price book or a price, as JSON.')
      const job = await startPimJob(ctx, priceImport, { importId, lines })
      return objectAnswer(201, pimJobs, job, ctx)
    } catch (error) {
      // Where the database is away, the lines are forgotten later.
      await dropStaged(ctx, importId).catch(() => {})
      throw error
    }
  },
})

const refuse = (source: string, detail: string) =>
  new Problem('unprocessable', detail, { source, title: 'Failed Validation' })

function mustBePacked(said: string | undefined, isGzip: boolean): void {
  if (said === undefined) return
  const known = compressions.find((one) => one === said)
  if (!known) throw refuse('file_compression', `file_compression is ${compressions.join(' or ')}.`)
  if ((known === 'gzip') === isGzip) return
  const is = isGzip ? 'packed with gzip' : 'not packed with gzip'
  throw refuse('file_compression', `The file is ${is}, and file_compression says ${known}.`)
}
