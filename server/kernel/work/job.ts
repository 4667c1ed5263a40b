import { counter } from '../metrics/metrics.ts'
import type { Instance, Work } from './context.ts'

/** Of jobs of all kinds. */
export const failedJobs = counter('sutler_jobs_failed_total', 'Runs of jobs that ended with an error.', [
  'job',
])

/** Short work after the response to its request, for the same store and author. It must be safe to run twice. */
export interface Job<P = unknown> {
  readonly name: string
  /** Attempts before the job fails. Outages of the database do not count. */
  readonly attemptsMax: number
  readonly long?: never
  /**
   * The job waits for another server, whose name in the store this is. Such jobs have workers of their own, so they
   * never delay other jobs. Each store has a share of the workers for each of its names.
   */
  callsOut?(payload: P): string
  run(work: Work, payload: P): Promise<void>
}

/** Maintenance of all stores, at fixed times. It must be safe to run twice, and in several processes. */
export interface Chore {
  readonly name: string
  readonly attemptsMax: number
  /** A cron pattern, UTC. */
  readonly every: string
  run(instance: Instance): Promise<void>
}

/**
 * Long work after the response to its request, for the same store and author. The long jobs of a store run one after
 * the other, in the order in which they were queued, so a job that is retried delays those behind it. They have workers
 * of their own, so they never delay short jobs. It must be safe to run twice.
 */
export interface LongJob<P = unknown> {
  readonly name: string
  readonly long: true
  /** A temporary error (`isTemporary`) causes a retry. Any other error ends the job. */
  run(work: Work, payload: P, turn?: Turn): Promise<void>
  /** Tells clients what the job is waiting for, before it is postponed. */
  wait(work: Work, payload: P, reason: string): Promise<void>
  /** Marks the job as failed. It is not retried. */
  giveUp(work: Work, payload: P, reason: string): Promise<void>
}

/** One run of a job. */
export interface Turn {
  /** Call it after each part that the job has completed. */
  progress(): Promise<void>
}

/** When a short job runs, and what it replaces. */
export interface Schedule {
  /** At most one job of the store waits under this key: a later one replaces it. */
  readonly key?: string
  /** Not before this instant. */
  readonly at?: Date
}
