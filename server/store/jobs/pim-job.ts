import type { Work } from '../../kernel/work/context.ts'
import { type DocumentedJob, documentedJob, type JobPart, startDocumented } from './documented-job.ts'
import type { JobDocument } from './job-document.ts'
import { addErrors } from './pim-job-errors.ts'
import {
  endStatuses,
  type PimJobDetails,
  type PimJobFields,
  type PimJobRow,
  type PimJobType,
  pimJobs,
} from './pim-jobs.ts'

const pimJobDocument: JobDocument<PimJobFields, PimJobDetails> = {
  resource: pimJobs,
  read: ({ doc: { status }, hidden: { state, details, refused = 0 } }) => ({
    phase: endStatuses.includes(status) ? 'ended' : status === 'pending' ? 'pending' : 'started',
    state,
    waitingFor: details?.waiting_for,
    errorCount: refused,
  }),
  show: ({ doc, hidden }, event) => {
    const { waiting_for: _, ...details } = { ...hidden.details, ...('details' in event && event.details) }
    switch (event.is) {
      case 'started':
        return { status: 'started', started_at: doc.started_at ?? event.at, details }
      case 'waiting':
        return { details: { ...details, waiting_for: event.reason } }
      case 'part done':
        return { details, state: event.state, refused: event.errorCount }
      case 'ended':
        return {
          status: event.isSuccess ? 'success' : 'failed',
          completed_at: event.at,
          details,
          state: undefined,
        }
    }
  },
  addErrors,
}

interface PimJobPayload<P> {
  readonly jobId: string
  readonly payload: P
}

interface PartRequest<P, S> extends PimJobPayload<P> {
  readonly state: S | undefined
}

interface PimJobDeclaration<P, S, R> {
  readonly type: PimJobType
  /** See `documentedJob`. */
  prepare?(work: Work, request: PartRequest<P, S>): Promise<R>
  /** See `documentedJob`. */
  run(
    work: Work,
    request: PartRequest<P, S> & { readonly prepared: R },
  ): Promise<JobPart<S, PimJobDetails> | undefined>
}

/** A type of PIM job. Its module lists it among its `jobs`; `startPimJob` queues one. */
export type PimJob<P> = DocumentedJob<PimJobPayload<P>, PimJobFields> & { readonly type: PimJobType }

/** Declares a type of PIM job. */
export const pimJob = <P, S = undefined, R = undefined>({
  type,
  prepare,
  run,
}: PimJobDeclaration<P, S, R>): PimJob<P> => ({
  type,
  ...documentedJob<PimJobPayload<P>, PimJobFields, S, R, PimJobDetails>({
    name: `pim-jobs:${type}`,
    document: pimJobDocument,
    placeOf: ({ jobId }) => ({ id: jobId }),
    ...(prepare && { prepare: (work, payload, state) => prepare(work, { ...payload, state }) }),
    run: (work, payload, state, prepared) => run(work, { ...payload, state, prepared }),
  }),
})

/** Creates a PIM job and queues it. */
export const startPimJob = <P>(
  work: Work,
  job: PimJob<P>,
  payload: P,
  details: PimJobDetails = {},
): Promise<PimJobRow> =>
  startDocumented(
    work,
    job,
    {
      values: {
        type: job.type,
        status: 'pending',
        started_at: null,
        completed_at: null,
        request_id: work.requestId,
        details,
      },
    },
    (jobId) => ({ jobId, payload }),
  )
