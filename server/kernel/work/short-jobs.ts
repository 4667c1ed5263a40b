import { setTimeout as sleep } from 'node:timers/promises'
import type { Attributes } from '@opentelemetry/api'
import type { JobHelpers, Task, TaskList } from 'graphile-worker'
import { isDatabaseAway } from '../storage/database.ts'
import { inRootSpan } from '../traces/spans.ts'
import type { Instance } from './context.ts'
import { type Chore, failedJobs, type Job } from './job.ts'
import { CallSlots, callLimits } from './slots.ts'
import { StoreTurns } from './store-turns.ts'
import { requestIdOf, workOf } from './work-of.ts'

/** The payload of a job in the queue. */
interface QueuedJob<P> {
  readonly store: string
  /** The author, see `authorOf`. */
  readonly by: string
  readonly payload: P
}

/** How many short jobs a process runs at a time: those that call another server, and all others. */
export const concurrency = { calls: callLimits.total, others: 3 }

/** One worker is always for other stores. */
const perStore = concurrency.others - 1

/** The first and the longest delay of a short job while the database is away. */
const retryAfterMs = { min: 1_000, max: 60_000 }

/** Short jobs and chores, as tasks of the queue. */
export class ShortJobs {
  /** The ids of those that run. */
  readonly inHand = new Set<string>()
  readonly #instance: Instance
  readonly #stopping: AbortSignal
  readonly #callSlots: CallSlots
  readonly #storeTurns: StoreTurns
  #isReturned = false

  constructor(instance: Instance, stopping: AbortSignal) {
    this.#instance = instance
    this.#stopping = stopping
    this.#callSlots = new CallSlots(instance.clock)
    this.#storeTurns = new StoreTurns(instance.clock, perStore)
  }

  tasksOf(jobs: readonly Job[]): TaskList {
    return Object.fromEntries(jobs.map((job) => [job.name, this.#task(job.name, this.#runInTurn(job))]))
  }

  upkeepOf(chores: readonly Chore[]): TaskList {
    return Object.fromEntries(
      chores.map((chore) => [chore.name, this.#task(chore.name, () => chore.run(this.#instance))]),
    )
  }

  /** Other processes run from now on what is in hand. */
  giveUp(): void {
    this.#isReturned = true
  }

  #runInTurn(job: Job): Task {
    return async (queued, helpers) => {
      const { payload, ...author } = queued as QueuedJob<unknown>
      const { store } = author
      const run = async () => {
        await job.run(workOf(this.#instance, author), payload)
        this.#instance.onWrite(store)
      }
      const peer = job.callsOut?.(payload)
      const retryAt = await (peer === undefined
        ? this.#storeTurns.run(store, run)
        : this.#callSlots.run({ store, peer }, run))
      if (retryAt) await putOff(helpers, retryAt)
    }
  }

  #task(name: string, run: Task): Task {
    return async (payload, helpers) => {
      this.inHand.add(helpers.job.id)
      try {
        await inRootSpan(`job ${name}`, { kind: 'CONSUMER', attributes: attributesOf(name, payload) }, () =>
          this.#runPatiently(async () => void (await run(payload, helpers))),
        )
      } catch (error) {
        failedJobs.inc({ job: name })
        this.#instance.log.error({ err: error }, `job ${name} failed`)
        throw error
      } finally {
        this.inHand.delete(helpers.job.id)
        // Another process has the job now, so the queue must not hear how it ended here.
        if (this.#isReturned) await new Promise(() => {})
      }
    }
  }

  /** An outage of the database is not a fault of the job, so the job waits here until the database is back. */
  async #runPatiently(run: () => Promise<void>): Promise<void> {
    for (let waitMs = retryAfterMs.min; ; waitMs = Math.min(2 * waitMs, retryAfterMs.max)) {
      try {
        return await run()
      } catch (error) {
        if (!isDatabaseAway(error) || this.#stopping.aborted) throw error
        await sleep(waitMs, undefined, { signal: this.#stopping }).catch(() => {})
      }
    }
  }
}

/** Chores have no author, and no store. */
function attributesOf(name: string, queued: unknown): Attributes {
  const { store, by } = queued as Partial<QueuedJob<unknown>>
  if (store === undefined || by === undefined) return { 'sutler.job': name }
  return { 'sutler.job': name, 'sutler.store_id': store, 'sutler.request_id': requestIdOf(by) }
}

/** Returns a job to the queue, until an instant. It takes the place of itself. */
const putOff = ({ addJob, job }: JobHelpers, runAt: Date): Promise<unknown> =>
  addJob(job.task_identifier, job.payload, {
    ...{ runAt, maxAttempts: job.max_attempts },
    ...(job.key !== null && { jobKey: job.key }),
  })
