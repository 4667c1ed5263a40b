import type { Row } from '../kernel/declare/resource.ts'
import { Problem } from '../kernel/errors.ts'
import { change } from '../kernel/request/operations.ts'
import { isTemporary } from '../kernel/storage/database.ts'
import type { Work } from '../kernel/work/context.ts'
import { internal, type LongJob, type Turn } from '../kernel/work/long-jobs.ts'
import { errorsMax, messageMax, pimJobErrors } from './pim-job-errors.ts'
import { endings, type PimJobType, pimJobs, type Told } from './pim-jobs.ts'

/** What a part of a job has come to. */
interface Part<S> {
  /** What the next part goes on from. Without it this one was the last. */
  readonly next?: S
  /** What could not be done. A job that has any has failed in the end, but what is done stays. */
  readonly errors?: readonly string[]
  readonly told?: Told
}

interface Asked<P> {
  readonly jobId: string
  readonly payload: P
}

interface Kind<P, S, R> {
  readonly type: PimJobType
  /**
   * What a part needs that leaves the machine, and so is done before its transaction. It may be done again for the same
   * part, and then what it came to before is nobody's.
   */
  prepare?(work: Work, asked: Asked<P> & { readonly state: S | undefined }): Promise<R>
  /**
   * Does one part of the job, in one transaction with what the job says of it: a worker that is killed leaves no part
   * half done, and none is done twice. To throw a Problem is to fail: nothing of this part is done.
   */
  run(
    work: Work,
    asked: Asked<P> & { readonly state: S | undefined; readonly prepared: R },
  ): Promise<Part<S> | undefined>
}

/** A type of job, and how it is carried out. Its module lists it among its `jobs`; `startJob` asks for one. */
export type PimJob<P> = LongJob<Asked<P>> & Pick<Kind<P, unknown, unknown>, 'type'>

/** Declares a type of job. */
export const pimJob = <P, S = undefined, R = undefined>({
  type,
  prepare,
  run,
}: Kind<P, S, R>): PimJob<P> => ({
  type,
  name: `pim-jobs:${type}`,
  long: true,
  run: async (work, asked, turn) => {
    const { jobId } = asked
    try {
      let goesOn = await begin(work, jobId)
      while (goesOn) {
        const job = prepare && (await work.store.findWhole(pimJobs, jobId))
        const prepared = job && (await prepare?.(work, { ...asked, state: job.hidden.state as S }))
        goesOn = await doPart(work, { jobId, version: job?.version, turn }, (work, state) =>
          run(work, { ...asked, state: state as S, prepared: prepared as R }),
        )
      }
    } catch (error) {
      if (isTemporary(error)) throw error
      if (!(error instanceof Problem)) work.instance.log.error({ err: error, job: jobId }, `${type} failed`)
      await fail(work, jobId, messageOf(work, error))
    }
  },
  wait: async (work, { jobId }, waiting_for) => {
    await whileOpen(work, jobId, async (work, { hidden: { told } }) => {
      if (told?.waiting_for === waiting_for) return
      await change(work, pimJobs, [], jobId, { told: { ...told, waiting_for } })
    })
  },
  giveUp: (work, { jobId }, reason) => fail(work, jobId, reason),
})

type JobRow = Row<(typeof pimJobs)['fields']>

/** Does something to a job that has not ended, while nobody else does. */
async function whileOpen<T>(
  work: Work,
  jobId: string,
  run: (work: Work, job: JobRow) => Promise<T>,
): Promise<T | undefined> {
  return work.transaction(async (work) => {
    await work.store.hold(pimJobs, jobId)
    const job = await work.store.findWhole(pimJobs, jobId)
    return job && !endings.includes(job.doc.status) ? run(work, job) : undefined
  })
}

const begin = (work: Work, jobId: string): Promise<boolean | undefined> =>
  whileOpen(work, jobId, async (work, { doc, hidden: { told } }) => {
    const isFirst = doc.status === 'pending'
    const started_at = doc.started_at ?? work.clock.now().toISOString()
    if (isFirst || told?.waiting_for) {
      await change(work, pimJobs, [], jobId, { status: 'started', started_at, told: goingOn(told) })
    }
    return true
  })

/** It waits for nothing any more. */
const goingOn = ({ waiting_for: _, ...told }: Told = {}): Told => told

interface PartOf {
  readonly jobId: string
  /** The version of the job that the part was prepared for. */
  readonly version: number | undefined
  readonly turn: Turn | undefined
}

/** Whether there is another part to do, or the same again: it was prepared for another version of the job. */
const doPart = (
  work: Work,
  { jobId, version, turn }: PartOf,
  run: (work: Work, state: unknown) => Promise<Part<unknown> | undefined>,
): Promise<boolean | undefined> =>
  whileOpen(work, jobId, async (work, job) => {
    if (version !== undefined && version !== job.version) return true
    const { state, told: before, refused = 0 } = job.hidden
    const { next, errors = [], told } = (await run(work, state)) ?? {}
    if (told) await change(work, pimJobs, [], jobId, { told: { ...before, ...told } })
    if (next === undefined) {
      await end(work, jobId, refused + errors.length ? 'failed' : 'success', errors)
      return false
    }
    await refuse(work, jobId, refused, errors)
    await change(work, pimJobs, [], jobId, { state: next, refused: refused + errors.length })
    await turn?.progress(work)
    return true
  })

const fail = (work: Work, jobId: string, message: string): Promise<void> =>
  whileOpen(work, jobId, (work) => end(work, jobId, 'failed', [message]))

async function end(
  work: Work,
  jobId: string,
  status: 'success' | 'failed',
  errors: readonly string[],
): Promise<void> {
  const job = await work.store.findWhole(pimJobs, jobId)
  await refuse(work, jobId, job?.hidden.refused ?? 0, errors)
  const completed_at = work.clock.now().toISOString()
  const told = goingOn(job?.hidden.told)
  await change(work, pimJobs, [], jobId, { status, completed_at, told, state: undefined })
}

/** Stores as many of these errors as there is room for. */
async function refuse(work: Work, jobId: string, stored: number, errors: readonly string[]): Promise<void> {
  const kept = errors.slice(0, Math.max(0, errorsMax - stored))
  await work.store.insertAll(
    pimJobErrors,
    kept.map((message) => ({ scope: [jobId], values: { message: shortened(message) } })),
  )
}

/** An error may tell what it is about: a value of any length. */
const shortened = (message: string): string =>
  message.length > messageMax ? `${message.slice(0, messageMax - 1).toWellFormed()}…` : message

/** What a client is told of an error. One that is nobody's fault but ours is in the log. */
function messageOf(work: Work, error: unknown): string {
  if (!(error instanceof Problem)) return internal(work)
  const { source, message } = error
  return source && !message.startsWith(source) ? `${source}: ${message}` : message
}
