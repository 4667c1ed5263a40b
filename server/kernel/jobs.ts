import { EventEmitter } from 'node:events'
import {
  makeWorkerUtils,
  run,
  type TaskList,
  type WorkerEvents,
  Logger as WorkerLogger,
} from 'graphile-worker'
import type { Logger } from 'pino'
import { atMost } from './at-most.ts'
import type { Clock } from './clock.ts'
import type { Mailer } from './mail.ts'
import type { Connection, Database } from './storage/database.ts'
import { patientPool } from './storage/patient-pool.ts'

// The queue's own log is for its authors; what a job has to say it says to ours.
const quiet = new WorkerLogger(() => () => {})

/** What a job may use: it belongs to no request. */
export interface JobCtx {
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
  /** Encrypts the secrets that must be replayed. */
  readonly sealKey: Uint8Array
  /** Undefined when no mail server is set. */
  readonly mail: Mailer | undefined
}

/** Work that is done after its request was answered. Shallow, and safe to run twice. */
export interface Job<P = unknown> {
  readonly name: string
  readonly attemptsMax: number
  /** A cron pattern, UTC, for a job that also runs by itself. */
  readonly every?: string
  run(ctx: JobCtx, payload: P): Promise<void>
}

/** Queues a job on `connection`: in a transaction it is queued with the change, or not at all. */
export async function queue<P>(connection: Connection, job: Job<P>, payload: P, key?: string): Promise<void> {
  await connection.run({
    text: 'SELECT graphile_worker.add_job($1, $2::json, max_attempts => $3, job_key => $4)',
    values: [job.name, JSON.stringify(payload), job.attemptsMax, key ?? null],
  })
}

/** Creates the queue's own tables. */
export async function migrateJobs(database: Database): Promise<void> {
  const utils = await makeWorkerUtils({ pgPool: database.pool, noPreparedStatements: true, logger: quiet })
  await utils.migrate()
  await utils.release()
}

const concurrency = 2
/** How many connections the jobs of one process use: one each, one to listen for jobs, one for the queue. */
export const jobConnections = concurrency + 2

const stoppingMaxMs = { jobs: 5_000, queue: 2_000 }

/** How often the queue looks for jobs that are locked but not worked on. */
const locksEveryMs = { min: 5_000, max: 10_000 }

/** Gives back what is locked for these workers, but never got to them. What was just taken may be on its way. */
const returnLost = (workers: readonly string[], inHand: Iterable<string>) => ({
  text: `UPDATE graphile_worker._private_jobs
         SET locked_at = NULL, locked_by = NULL, attempts = greatest(attempts - 1, 0)
         WHERE locked_by = ANY($1) AND locked_at < now() - interval '10 seconds' AND id <> ALL($2::bigint[])`,
  values: [workers, [...inHand]],
})

/** Starts working off the queue in this process. It goes on by itself after the database was away. */
export async function startJobs(
  jobs: readonly Job[],
  ctx: JobCtx,
): Promise<{
  /** Lets the jobs under way finish. One that takes long is given back to the queue, for another process. */
  stop(): Promise<void>
}> {
  let given = false
  const stopping = new AbortController()
  // The queue listens to no failure of its own statement that a job has ended: it would end the process.
  const patient = patientPool(ctx.database.pool, stopping.signal)
  const events: WorkerEvents = new EventEmitter()
  const workers: string[] = []
  const inHand = new Set<string>()
  events.on('pool:create', ({ workerPool }) => workers.push(workerPool.id))
  // A job that was being taken when the connection broke: the queue by itself would keep it for hours.
  events.on('resetLocked:success', () => {
    // One that has ended, but not in the database yet, is not lost.
    if (patient.busy()) return
    ctx.database.run(returnLost(workers, inHand)).catch((error: unknown) => {
      ctx.log.error({ err: error }, 'jobs that were lost are not back in the queue yet')
    })
  })
  const taskList: TaskList = Object.fromEntries(
    jobs.map((job) => [
      job.name,
      async (payload, helpers) => {
        inHand.add(helpers.job.id)
        try {
          await job.run(ctx, payload)
        } catch (error) {
          ctx.log.error({ err: error }, `job ${job.name} failed`)
          throw error
        } finally {
          inHand.delete(helpers.job.id)
          // The job is someone else's by now: how it ended here is not for the queue.
          if (given) await new Promise(() => {})
        }
      },
    ]),
  )
  const crontab = jobs.flatMap((job) => (job.every ? [`${job.every} ${job.name}`] : [])).join('\n')
  const runner = await run({
    pgPool: patient.pool,
    taskList,
    crontab,
    concurrency,
    pollInterval: 1000,
    minResetLockedInterval: locksEveryMs.min,
    maxResetLockedInterval: locksEveryMs.max,
    noHandleSignals: true,
    logger: quiet,
    events,
  })
  return {
    async stop() {
      stopping.abort()
      given = !(await atMost(stoppingMaxMs.jobs, runner.stop().then(patient.idle)))
      const unlock = { text: 'SELECT graphile_worker.force_unlock_workers($1)', values: [workers] }
      // A database that is away unlocks them by itself, hours later.
      await atMost(stoppingMaxMs.queue, ctx.database.run(unlock)).catch(() => {})
    },
  }
}
