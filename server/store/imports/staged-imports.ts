import type { Readable } from 'node:stream'
import type { ActionCall, UploadRule } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { readForm } from '../../kernel/http/reading/form.ts'
import { newId } from '../../kernel/ids.ts'
import type { Answer } from '../../kernel/shape/answer.ts'
import type { Fields } from '../../kernel/shape/fields.ts'
import type { Ctx, Work } from '../../kernel/work/context.ts'
import type { Chore } from '../../kernel/work/job.ts'
import { type PimJob, pimJob } from '../jobs/pim-job.ts'
import { type PimJobRow, type PimJobType, pimJobs } from '../jobs/pim-jobs.ts'
import { bytesMax } from './file-limits.ts'

/**
 * The rows of a file wait in a table of their module until the job has imported them. The table has `store_id`,
 * `import_id`, `received_at` and `line`, the number of the row in its file.
 */

const keepMs = 30 * 86_400_000

/** How many rows, or characters of rows, are stored by one statement. */
const statementMax = { rows: 1000, characters: 1_000_000 }

/** Collects rows until there are enough for one statement. */
export class RowBatch<T> {
  readonly #store: (rows: readonly T[]) => Promise<unknown>
  #rows: T[] = []
  #characters = 0

  constructor(store: (rows: readonly T[]) => Promise<unknown>) {
    this.#store = store
  }

  async add(row: T, characters: number): Promise<void> {
    this.#rows.push(row)
    this.#characters += characters
    if (this.#rows.length >= statementMax.rows || this.#characters >= statementMax.characters) {
      await this.flush()
    }
  }

  /** Stores the rows that remain. */
  async flush(): Promise<void> {
    if (this.#rows.length) await this.#store(this.#rows)
    this.#rows = []
    this.#characters = 0
  }
}

async function dropStaged({ store }: Work, table: string, importId: string): Promise<void> {
  await store.runLong(`DELETE FROM ${table} WHERE store_id = $1 AND import_id = $2`, importId)
}

/** Deletes rows of all stores that no job has imported: it was cancelled, or never started. */
export const forgetStagedRows = ({
  table,
  ...chore
}: Pick<Chore, 'name' | 'every'> & { readonly table: string }): Chore => ({
  ...chore,
  attemptsMax: 3,
  run: async ({ database, clock }) => {
    await database.run({
      text: `DELETE FROM ${table} WHERE received_at < $1`,
      values: [new Date(clock.now().getTime() - keepMs)],
      long: true,
    })
  },
})

interface ImportPayload {
  readonly importId: string
}

interface WriteResult {
  readonly errors: readonly string[]
  /** Whether the errors end the import: then none of these rows was written. */
  readonly isOver?: boolean
}

interface ImportDeclaration<P extends ImportPayload, R, At extends object> {
  readonly type: PimJobType
  /** The table in which the rows wait. */
  readonly table: string
  /** How many rows the file has. */
  totalOf(payload: P): number
  /** Looks at all rows before the first is written. Errors end the import. */
  check(work: Work, payload: P): Promise<readonly string[]>
  /** The next rows behind a row; undefined stands for the beginning. */
  read(work: Work, payload: P, behind: At | undefined): Promise<readonly R[]>
  /** Where a row is, for `read`. */
  placeOf(row: R): At
  write(work: Work, payload: P, rows: readonly R[]): Promise<WriteResult>
}

/** Declares the job that imports the staged rows of a file, some rows in each part. */
export const importJob = <P extends ImportPayload, R, At extends object>(
  of: ImportDeclaration<P, R, At>,
): PimJob<P> =>
  pimJob<P, At & { readonly done: number }>({
    type: of.type,
    async run(work, { payload, state }) {
      const part = (done: number, errors: readonly string[]) => ({
        errors,
        details: { progress: { done, of: of.totalOf(payload) } },
      })
      const end = async (done: number, errors: readonly string[]) => {
        await dropStaged(work, of.table, payload.importId)
        return part(done, errors)
      }
      const faults = state ? [] : await of.check(work, payload)
      if (faults.length) return end(0, faults)
      const rows = await of.read(work, payload, state)
      const { errors, isOver } = await of.write(work, payload, rows)
      const before = state?.done ?? 0
      if (isOver) return end(before, errors)
      const done = before + rows.length
      const last = rows.at(-1)
      if (last === undefined || done >= of.totalOf(payload)) return end(done, errors)
      return { ...part(done, errors), next: { ...of.placeOf(last), done } }
    },
  })

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
  let isStarted = false
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
    const job = await start(importId, staged[0] as T, texts)
    isStarted = !ctx.isRehearsal
    return objectAnswer(201, pimJobs, job, ctx)
  } finally {
    // If the database is away, a chore deletes the rows later.
    if (!isStarted) await dropStaged(ctx, table, importId).catch(() => {})
  }
}
