import { setTimeout as sleep } from 'node:timers/promises'
import { Unavailable } from '../../platform/faults.ts'
import { Problem } from '../errors.ts'
import { columns, json, number } from '../storage/columns.ts'
import { isTemporary, sqlState } from '../storage/database.ts'
import { inRootSpan } from '../traces/spans.ts'
import type { Instance, Work } from './context.ts'
import { failedJobs, type LongJob, type Turn } from './job.ts'
import { workOf } from './work-of.ts'

/** How often a job may start without progress: the job itself may be what kills its process. */
export const startsMax = 5

/** How often a job may be postponed without progress. At one try a minute this takes three and a half days. */
export const triesMax = 5000

const retryAfterMaxS = 60

/** How many long jobs a process runs at a time, each of a different store. */
export const slots = 2

const pollEveryMs = 1000
const persistAgainAfterMs = 500

const jobColumns = columns({
  storeId: 'j.store_id',
  id: 'j.id',
  name: 'j.name',
  by: 'j.author',
  payload: ['j.payload', json<unknown>],
  starts: ['j.starts', number],
  tries: ['j.tries', number],
  waitedFor: ['j.waiting_for', (text: string | null) => text],
})

/** Claims the first job of a store, if it is due and no other job of the store is running. */
const takeSql = `UPDATE long_jobs j SET locked_by = $1, locked_at = now(), starts = j.starts + 1
  FROM (
    SELECT store_id, id FROM long_jobs f
    WHERE name = ANY($2::text[]) AND locked_by IS NULL AND next_try_at <= now() AND NOT EXISTS (
      SELECT FROM long_jobs o WHERE o.store_id = f.store_id AND (o.id < f.id OR o.locked_by IS NOT NULL))
    ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED
  ) first
  WHERE j.store_id = first.store_id AND j.id = first.id
  RETURNING ${jobColumns.sql}`

/** Returns jobs to the queue without counting the start, since the job is not at fault. */
const giveBackSql = `UPDATE long_jobs SET locked_by = NULL, starts = greatest(starts - 1, 0)
  WHERE locked_by = $1 AND id <> ALL($2::bigint[])`

const deleteSql = 'DELETE FROM long_jobs WHERE store_id = $1 AND id = $2'

const putOffSql = `UPDATE long_jobs
  SET locked_by = NULL, starts = greatest(starts - 1, 0), tries = tries + 1, waiting_for = $4,
    next_try_at = now() + least(2 ^ least(tries, 10), ${retryAfterMaxS}) * interval '1 second'
  WHERE store_id = $1 AND id = $2 AND locked_by = $3`

const progressSql = `UPDATE long_jobs SET starts = 1, tries = 0, waiting_for = NULL
  WHERE store_id = $1 AND id = $2`

interface ClaimedLongJob {
  readonly storeId: string
  readonly id: string
  readonly job: LongJob
  readonly work: Work
  readonly payload: unknown
  readonly starts: number
  readonly tries: number
  readonly waitedFor: string | null
}

/** Runs long jobs in this process. It continues by itself after an outage of the database. */
export class LongJobs {
  readonly #jobs: ReadonlyMap<string, LongJob>
  readonly #instance: Instance
  readonly #worker: string
  readonly #stopping = new AbortController()
  readonly #running = new Map<string, Promise<void>>()
  #woken = Promise.withResolvers<void>()
  #serving: Promise<void> | undefined

  /** `worker` identifies this process: see `WorkerSession`. */
  constructor(jobs: readonly LongJob[], instance: Instance, worker: string) {
    this.#jobs = new Map(jobs.map((job) => [job.name, job]))
    this.#instance = instance
    this.#worker = worker
  }

  start(): void {
    this.#serving = this.#serve()
  }

  /** Looks for a job, because one may be due. */
  wake(): void {
    this.#woken.resolve()
  }

  /** Claims no more jobs, and waits until the running ones have ended. */
  async finish(): Promise<void> {
    this.#stopping.abort()
    this.wake()
    await this.#serving
    await Promise.all(this.#running.values())
  }

  /** After `finish`: returns the jobs that have not ended. Each stays the first of its store. */
  giveBack(): Promise<void> {
    return this.#giveBackBut([])
  }

  async #serve(): Promise<void> {
    // A failed statement may have claimed a job before its response was lost.
    let mayHaveLost = false
    while (!this.#stopping.signal.aborted) {
      this.#woken = Promise.withResolvers()
      try {
        if (mayHaveLost) await this.#giveBackBut([...this.#running.keys()])
        mayHaveLost = false
        const claimed = this.#running.size < slots ? await this.#take() : undefined
        if (claimed) {
          this.#begin(claimed)
          continue
        }
      } catch (error) {
        mayHaveLost = true
        // Another process has claimed a job of the same store.
        if (!isTemporary(error) && sqlState(error) !== '23505') {
          this.#instance.log.error({ err: error }, 'cannot take a long job from the queue')
        }
      }
      await Promise.race([this.#woken.promise, sleep(pollEveryMs, undefined, { ref: false })])
    }
  }

  async #take(): Promise<ClaimedLongJob | undefined> {
    const values = [this.#worker, [...this.#jobs.keys()]]
    const [row] = await this.#instance.database.run({ text: takeSql, values })
    if (!row) return undefined
    const { name, by, ...job } = jobColumns.read(row)
    const work = workOf(this.#instance, { store: job.storeId, by })
    return { ...job, work, job: this.#jobs.get(name) as LongJob }
  }

  async #giveBackBut(ids: readonly string[]): Promise<void> {
    await this.#instance.database.run({ text: giveBackSql, values: [this.#worker, ids] })
  }

  #begin(claimed: ClaimedLongJob): void {
    const run = this.#carryOut(claimed)
      .catch((error: unknown) => {
        if (this.#stopping.signal.aborted) return
        this.#instance.log.error({ err: error }, `cannot record the end of the job ${claimed.job.name}`)
      })
      .finally(() => {
        this.#running.delete(claimed.id)
        this.wake()
      })
    this.#running.set(claimed.id, run)
  }

  async #carryOut(claimed: ClaimedLongJob): Promise<void> {
    const { storeId } = claimed
    const reason = await this.#attempt(claimed)
    await this.#persist(async () => {
      if (reason === undefined) await this.#change(deleteSql, claimed)
      else await this.#putOff(claimed, reason)
    })
    this.#instance.onWrite(storeId)
  }

  /** Postpones the job. It stays the first of its store. */
  async #putOff(claimed: ClaimedLongJob, reason: string): Promise<void> {
    const { job, work, payload } = claimed
    try {
      await job.wait(work, payload, reason)
    } catch (error) {
      if (isTemporary(error)) throw error
      this.#instance.log.error({ err: error }, `job ${job.name} cannot store what it waits for`)
    }
    await this.#change(putOffSql, claimed, this.#worker, reason)
  }

  /** The queue is not where the store is, so its row never changes in a transaction of the store. */
  async #change(text: string, { storeId, id }: ClaimedLongJob, ...values: readonly unknown[]): Promise<void> {
    await this.#instance.database.run({ text, values: [storeId, id, ...values] })
  }

  #turnOf(claimed: ClaimedLongJob): Turn {
    let hasProgress = claimed.starts === 1 && claimed.tries === 0
    return {
      progress: async () => {
        if (!hasProgress) await this.#change(progressSql, claimed)
        hasProgress = true
      },
    }
  }

  /** Runs the job once. Returns what it waits for, if it must be retried. */
  async #attempt(claimed: ClaimedLongJob): Promise<string | undefined> {
    const { job, work, payload, starts, tries, waitedFor } = claimed
    const { log } = this.#instance
    const run = async () => {
      if (starts > startsMax) {
        const detail = `The job was started ${startsMax} times, and each time the server stopped before the job made progress.`
        return job.giveUp(work, payload, detail)
      }
      if (tries >= triesMax) {
        return job.giveUp(work, payload, `The job was tried ${triesMax} times. ${waitedFor ?? ''}`.trim())
      }
      return job.run(work, payload, this.#turnOf(claimed))
    }
    try {
      const attributes = {
        'sutler.job': job.name,
        'sutler.store_id': work.store.id,
        'sutler.request_id': work.requestId,
      }
      await inRootSpan(`job ${job.name}`, { kind: 'CONSUMER', attributes }, run)
      return undefined
    } catch (error) {
      if (!isTemporary(error)) {
        failedJobs.inc({ job: job.name })
        log.error({ err: error }, `job ${job.name} failed`)
        return this.#fail(job, work, payload)
      }
      const reason = reasonOf(error)
      if (reason !== waitedFor) log.warn(`job ${job.name} of store ${work.store.id} waits: ${reason}`)
      return reason
    }
  }

  /** Ends a job after an unexpected error, since it would block all jobs behind it. */
  async #fail(job: LongJob, work: Work, payload: unknown): Promise<string | undefined> {
    try {
      await job.giveUp(work, payload, internal(work))
      return undefined
    } catch (error) {
      if (isTemporary(error)) return reasonOf(error)
      this.#instance.log.error({ err: error }, `job ${job.name} cannot be marked as failed`)
      return undefined
    }
  }

  /** Stores the result of a job. It waits here while the database accepts no writes. */
  async #persist(write: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await write()
      } catch (error) {
        if (!isTemporary(error) || this.#stopping.signal.aborted) throw error
        await sleep(persistAgainAfterMs, undefined, { signal: this.#stopping.signal }).catch(() => {})
      }
    }
  }
}

/** The message for clients about an internal error. */
export const internal = ({ requestId }: Work): string =>
  `There was an internal server error; report it with the request id ${requestId}.`

function reasonOf(error: unknown): string {
  if (error instanceof Unavailable) return error.message
  if (!(error instanceof Problem)) return 'The database is not reachable.'
  return error.code === 'conflict' ? 'Other requests changed the same objects first.' : error.message
}
