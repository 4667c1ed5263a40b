import type { Instance, Work } from './context.ts'

/** Short work after the answer to its request, for the same store and author. Safe to run twice. */
export interface Job<P = unknown> {
  readonly name: string
  /** An outage of the database is no attempt. */
  readonly attemptsMax: number
  readonly long?: never
  run(work: Work, payload: P): Promise<void>
}

/** Upkeep of all stores, done by itself at its times. Safe to run twice, and in several processes. */
export interface Chore {
  readonly name: string
  readonly attemptsMax: number
  /** A cron pattern, UTC. */
  readonly every: string
  run(instance: Instance): Promise<void>
}

/**
 * Work that may take long, after the answer to its request, for the same store and author. A store's long jobs run one
 * after the other, in the order in which they were queued: one that must be tried again holds up those behind it. They
 * have workers of their own, so that nothing short waits for them. Safe to run twice.
 */
export interface LongJob<P = unknown> {
  readonly name: string
  readonly long: true
  /** What it throws, if `isTemporary`, is a reason to try again. Any other error ends the job. */
  run(work: Work, payload: P, turn?: Turn): Promise<void>
  /** Tells clients, in the transaction that puts the job off, what it waits for. */
  wait(work: Work, payload: P, reason: string): Promise<void>
  /** Ends the job as failed: nobody tries it again. */
  giveUp(work: Work, payload: P, reason: string): Promise<void>
}

/** One start of a job. */
export interface Turn {
  /** To be called in the transaction of each part that the job finishes. */
  progress(work: Work): Promise<void>
}

/** When a short job runs, and what it replaces. */
export interface Schedule {
  /** One job of the store waits under this key: a later one replaces it. */
  readonly key?: string
  /** Not before this instant. */
  readonly at?: Date
}
