import { makeWorkerUtils, type Runner, run, type TaskList, Logger as WorkerLogger } from 'graphile-worker'
import type { Logger } from 'pino'
import type { Clock } from './clock.ts'
import type { Mailer } from './mail.ts'
import type { Connection, Database } from './storage/database.ts'

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

/** Starts working off the queue in this process. */
export async function startJobs(jobs: readonly Job[], ctx: JobCtx): Promise<Runner> {
  const taskList: TaskList = Object.fromEntries(
    jobs.map((job) => [
      job.name,
      async (payload: unknown) => {
        try {
          await job.run(ctx, payload)
        } catch (error) {
          ctx.log.error({ err: error }, `job ${job.name} failed`)
          throw error
        }
      },
    ]),
  )
  const crontab = jobs.flatMap((job) => (job.every ? [`${job.every} ${job.name}`] : [])).join('\n')
  return run({
    pgPool: ctx.database.pool,
    taskList,
    crontab,
    concurrency: 2,
    pollInterval: 1000,
    noHandleSignals: true,
    logger: quiet,
  })
}
