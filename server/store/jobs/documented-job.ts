import { Problem } from '../../kernel/errors.ts'
import type { Fields, New } from '../../kernel/shape/fields.ts'
import type { Row } from '../../kernel/shape/model.ts'
import { isTemporary } from '../../kernel/storage/database.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { LongJob, Turn } from '../../kernel/work/job.ts'
import { internal } from '../../kernel/work/long-jobs.ts'
import { add, change } from '../../kernel/write/by-rules.ts'
import type { DocumentedState, JobDocument, JobEvent } from './job-document.ts'

/** The result of one part of a job. */
export interface JobPart<S, D> {
  /** The state from which the next part continues. Without it, this part was the last. */
  readonly next?: S
  /** What could not be done. A job with errors ends as failed, but its parts stay done. */
  readonly errors?: readonly string[]
  /** New values for the document. */
  readonly details?: D
}

/** Which document shows a job: its id, and the ids of its parents in the path. */
interface DocumentPlace {
  readonly id: string
  readonly scope?: readonly string[]
}

interface DocumentedJobDeclaration<P, F extends Fields, S, R, D> {
  readonly name: string
  readonly document: JobDocument<F, D>
  placeOf(payload: P): DocumentPlace
  /** Takes the locks that come before the lock of the document. */
  lockFirst?(work: Work, payload: P): Promise<unknown>
  /**
   * Does the work of a part that cannot be in its transaction: calls that leave the machine, a transaction of its own.
   * May run more than once for the same part; only the last result is used.
   */
  prepare?(work: Work, payload: P, state: S | undefined): Promise<R>
  /**
   * Does one part of the job, in one transaction with the update of its document: a worker that is killed leaves no
   * part half done, and none is done twice. A Problem undoes this part and ends the job as failed.
   */
  run(work: Work, payload: P, state: S | undefined, prepared: R): Promise<JobPart<S, D> | undefined>
  /** The last part, if the work was complete before something failed. The job has then succeeded. */
  findResult?(work: Work, payload: P): Promise<JobPart<S, D> | undefined>
  /** Runs after the job has ended, whatever its outcome. */
  afterEnd?(work: Work, payload: P): Promise<void>
}

/** A long job whose status clients read in a document. */
export interface DocumentedJob<P, F extends Fields> extends LongJob<P> {
  readonly document: Pick<JobDocument<F, unknown>, 'resource'>
}

/**
 * Declares a long job that is carried out part by part and whose document tells clients about it. The job always ends:
 * it succeeds, fails, or is given up. See docs/decisions/0020-jobs-and-builds.md.
 */
export function documentedJob<P, F extends Fields, S, R, D>(
  declaration: DocumentedJobDeclaration<P, F, S, R, D>,
): DocumentedJob<P, F> {
  const { name, document, placeOf, prepare, findResult, afterEnd } = declaration
  const { resource } = document

  /** Runs `action` while the document is locked, unless the job has ended or its document was deleted. */
  const whileOpen = <T>(
    work: Work,
    payload: P,
    action: (open: { work: Work; row: Row<F>; status: DocumentedState }) => Promise<T>,
  ): Promise<T | undefined> =>
    work.transaction(async (work) => {
      await declaration.lockFirst?.(work, payload)
      const { id, scope } = placeOf(payload)
      const [row] = await work.store.lockWhole(resource, [id], scope)
      const status = row && document.read(row)
      return row && status?.phase !== 'ended'
        ? action({ work, row, status: status as DocumentedState })
        : undefined
    })

  const show = (work: Work, row: Row<F>, event: JobEvent<D>) =>
    change(work, resource, row.scope, row.id, document.show(row, event))

  const now = (work: Work) => work.clock.now().toISOString()

  const begin = (work: Work, payload: P) =>
    whileOpen(work, payload, async ({ work, row, status }) => {
      if (status.phase === 'pending' || status.waitingFor !== undefined) {
        await show(work, row, { is: 'started', at: now(work) })
      }
      return true
    })

  /** Whether the job continues: with the next part, or with this one if it was prepared for another version. */
  const runPart = (
    work: Work,
    payload: P,
    prepared: { readonly value: R; readonly version: number } | undefined,
  ) =>
    whileOpen(work, payload, async ({ work, row, status }) => {
      if (prepared && prepared.version !== row.version) return true
      const part = await declaration.run(work, payload, status.state as S, prepared?.value as R)
      if (part?.next === undefined) {
        await end(work, row, status, part ?? {})
        return false
      }
      const { next: state, errors = [], details } = part
      await document.addErrors?.(work, row, errors)
      const errorCount = status.errorCount + errors.length
      await show(work, row, { is: 'part done', state, errorCount, details })
      return true
    })

  const end = async (
    work: Work,
    row: Row<F>,
    status: DocumentedState,
    { errors = [], details }: JobPart<S, D>,
  ) => {
    await document.addErrors?.(work, row, errors)
    const isSuccess = status.errorCount + errors.length === 0
    await show(work, row, { is: 'ended', isSuccess, at: now(work), details })
  }

  const fail = (work: Work, payload: P, reason: string) =>
    whileOpen(work, payload, async ({ work, row, status }) =>
      end(work, row, status, (await findResult?.(work, payload)) ?? { errors: [reason] }),
    )

  const runParts = async (work: Work, payload: P, turn?: Turn) => {
    const { id, scope } = placeOf(payload)
    for (let continues = await begin(work, payload); continues; ) {
      const row = prepare && (await work.store.findWhole(resource, id, scope))
      const prepared = row && {
        value: (await prepare?.(work, payload, document.read(row).state as S)) as R,
        version: row.version,
      }
      continues = await runPart(work, payload, prepared)
      if (continues) await turn?.progress()
    }
  }

  return {
    name,
    long: true,
    document,
    run: async (work, payload, turn) => {
      try {
        await runParts(work, payload, turn)
      } catch (error) {
        if (isTemporary(error)) throw error
        // A refusal is for the client who reads the errors; everything else is for the operator.
        if (!(error instanceof Problem && document.addErrors)) {
          work.instance.log.error({ err: error, job: placeOf(payload).id }, `${name} failed`)
        }
        await fail(work, payload, messageOf(work, error))
      }
      await afterEnd?.(work, payload)
    },
    wait: async (work, payload, reason) => {
      await whileOpen(work, payload, async ({ work, row, status }) => {
        if (status.waitingFor !== reason) await show(work, row, { is: 'waiting', reason })
      })
    },
    giveUp: async (work, payload, reason) => {
      await fail(work, payload, reason)
      await afterEnd?.(work, payload)
    },
  }
}

/** Creates the document of a job and queues the job, in one transaction: the open one, if there is one. */
export function startDocumented<P, F extends Fields>(
  work: Work,
  job: DocumentedJob<P, F>,
  { scope = [], values }: { readonly scope?: readonly string[]; readonly values: New<F> },
  toPayload: (id: string) => P,
): Promise<Row<F>> {
  return work.transaction(async (work) => {
    const row = await add(work, job.document.resource, scope, values)
    await work.later(job, toPayload(row.id))
    return row
  })
}

/** The message that clients read. Internal errors are only in the log. */
function messageOf(work: Work, error: unknown): string {
  if (!(error instanceof Problem)) return internal(work)
  const { source, message } = error
  return source && !message.startsWith(source) ? `${source}: ${message}` : message
}
