import type { Readable } from 'node:stream'
import type { ActionCall, UploadRule } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { readForm } from '../../kernel/http/reading/form.ts'
import { newId } from '../../kernel/ids.ts'
import type { Answer } from '../../kernel/shape/answer.ts'
import type { Fields } from '../../kernel/shape/fields.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { type PimJobRow, pimJobs } from '../jobs/pim-jobs.ts'
import { bytesMax } from './file-limits.ts'
import { dropStaged } from './staging.ts'

/** The largest form with a file in it: the multipart envelope takes some bytes. */
export const formBytesMax = bytesMax + 64 * 1024

interface FileImport<T> {
  readonly format: 'CSV' | 'JSONL'
  /** The table in which the rows wait. */
  readonly table: string
  /** Stores the rows of the file while it arrives. */
  stage(importId: string, content: Readable): Promise<T>
  /** Starts the job. `texts` are the other parts of the form. */
  start(importId: string, staged: T, texts: ReadonlyMap<string, string>): Promise<PimJobRow>
}

/** Stages an uploaded file and starts the job that imports it: both, or neither. */
export async function importUpload<T>(
  ctx: Ctx,
  { upload, headers }: Pick<ActionCall<string, Fields, UploadRule>, 'upload' | 'headers'>,
  { format, table, stage, start }: FileImport<T>,
): Promise<Answer> {
  const importId = newId()
  const staged: T[] = []
  try {
    const type = headers['content-type'] as string | undefined
    const texts = await readForm(upload, type, 'file', async ({ content }) => {
      staged.push(await stage(importId, content))
    })
    if (!staged.length) {
      throw new Problem(
        'bad_request',
        `The form has no file. Send the ${format} file as the part named file.`,
        { source: 'file' },
      )
    }
    return objectAnswer(201, pimJobs, await start(importId, staged[0] as T, texts), ctx)
  } catch (error) {
    // If the database is away, a chore deletes the rows later.
    await dropStaged(ctx, table, importId).catch(() => {})
    throw error
  }
}
