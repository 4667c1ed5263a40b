import type { Work } from '../../kernel/work/context.ts'
import { type PimJob, pimJob } from '../jobs/pim-job.ts'
import type { PimJobType } from '../jobs/pim-jobs.ts'
import { dropStaged } from './staging.ts'

interface ImportPayload {
  readonly importId: string
}

interface WriteResult {
  readonly errors: readonly string[]
  /** Whether the errors end the import: then none of these rows was written. */
  readonly isOver?: boolean
}

interface Declaration<P extends ImportPayload, R, At extends object> {
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
  of: Declaration<P, R, At>,
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
