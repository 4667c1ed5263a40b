import { EventEmitter } from 'node:events'
import {
  makeWorkerUtils,
  run,
  type Task,
  type TaskList,
  type WorkerEvents,
  Logger as WorkerLogger,
} from 'graphile-worker'
import { atMost } from './at-most.ts'
import { type Instance, Work } from './context.ts'
import type { Database } from './storage/database.ts'
import { patientPool } from './storage/patient-pool.ts'
import { Store } from './storage/store.ts'
import { WorkerSession } from './worker-session.ts'

// The queue's own log is for its authors; what a job has to say it says to ours.
const quiet = new WorkerLogger(() => () => {})

/** Work that is done after its request was answered, for the same store and author. Safe to run twice. */
export interface Job<P = unknown> {
  readonly name: string
  readonly attemptsMax: number
  /**
   * It may take long: a store's long jobs run one after the other, in the order they were queued, and have
   * workers of their own, so that nothing short waits for them.
   */
  readonly long?: boolean
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

/** What the queue holds of a job. */
interface Queued<P> {
  readonly store: string
  /** The author, see `authorOf`. */
  readonly by: string
  readonly payload: P
}

/** Queues a job of the store: in a transaction it is queued with the change, or not at all. */
export async function queue<P>({ store }: Work, job: Job<P>, payload: P, key?: string): Promise<void> {
  await store.rows(
    `SELECT graphile_worker.add_job($3, json_build_object('store', $1::uuid, 'by', $2::text, 'payload', $4::json),
       queue_name => CASE WHEN $5::boolean THEN 'store ' || $1 END, max_attempts => $6, job_key => $7)`,
    store.author,
    job.name,
    JSON.stringify(payload),
    job.long ?? false,
    job.attemptsMax,
    key ?? null,
  )
}

/** Asks for a chore before its time; the queue holds it once. */
export async function hasten({ database }: Instance, chore: Chore): Promise<void> {
  await database.run({
    text: 'SELECT graphile_worker.add_job($1, max_attempts => $2, job_key => $1)',
    values: [chore.name, chore.attemptsMax],
  })
}

/** Creates the queue's own tables. */
export async function migrateJobs(database: Database): Promise<void> {
  const utils = await makeWorkerUtils({ pgPool: database.pool, noPreparedStatements: true, logger: quiet })
  await utils.migrate()
  await utils.release()
}

/** How many jobs one process works on at a time, short and long ones. */
const concurrency = { short: 2, long: 2 } as const

/** How many connections the jobs of one process use: one each, two to listen, one for the queue, one for its locks. */
export const jobConnections = concurrency.short + concurrency.long + 4

const stoppingMaxMs = { jobs: 5_000, queue: 2_000 }

/** How often the queue looks for jobs that are locked but not worked on. */
const locksEveryMs = { min: 5_000, max: 10_000 }

/** Starts working off the queue in this process. It goes on by itself after the database was away. */
export async function startJobs(
  jobs: readonly Job[],
  chores: readonly Chore[],
  instance: Instance,
): Promise<{
  /** Lets the jobs under way finish. One that takes long is given back to the queue, for another process. */
  stop(): Promise<void>
}> {
  const { database, log } = instance
  let given = false
  const stopping = new AbortController()
  // The queue listens to no failure of its own statement that a job has ended: it would end the process.
  const patient = patientPool(database.pool, stopping.signal)
  const events: WorkerEvents = new EventEmitter()
  const workers: string[] = []
  const inHand = new Set<string>()
  let session: WorkerSession | undefined
  let looking = Promise.resolve()
  events.on('pool:create', ({ workerPool }) => workers.push(workerPool.id))
  // A job that was being taken when the connection broke, or when its process was killed: the queue by itself would
  // keep it for hours.
  events.on('resetLocked:success', () => {
    const returned = async () => {
      await session?.returnOrphans()
      // One that has ended, but not in the database yet, is not lost.
      if (!patient.busy()) await session?.returnLost(inHand)
    }
    // Whoever goes gives back all that it has.
    if (stopping.signal.aborted) return
    looking = returned().catch((error: unknown) => {
      if (stopping.signal.aborted) return
      log.error({ err: error }, 'jobs that were lost are not back in the queue yet')
    })
  })
  const task =
    (name: string, run: (payload: unknown) => Promise<void>): Task =>
    async (payload, helpers) => {
      inHand.add(helpers.job.id)
      try {
        await run(payload)
      } catch (error) {
        log.error({ err: error }, `job ${name} failed`)
        throw error
      } finally {
        inHand.delete(helpers.job.id)
        // The job is someone else's by now: how it ended here is not for the queue.
        if (given) await new Promise(() => {})
      }
    }
  const tasksOf = (some: readonly Job[]): TaskList =>
    Object.fromEntries(
      some.map((job) => [
        job.name,
        task(job.name, async (queued) => {
          const { payload, ...asked } = queued as Queued<unknown>
          await job.run(workOf(instance, asked), payload)
          instance.onWrite(asked.store)
        }),
      ]),
    )
  const work = (length: keyof typeof concurrency, taskList: TaskList, crontab: string) =>
    run({
      pgPool: patient.pool,
      taskList,
      crontab,
      concurrency: concurrency[length],
      pollInterval: 1000,
      minResetLockedInterval: locksEveryMs.min,
      maxResetLockedInterval: locksEveryMs.max,
      noHandleSignals: true,
      logger: quiet,
      events,
    })
  const upkeep: TaskList = Object.fromEntries(
    chores.map((chore) => [chore.name, task(chore.name, () => chore.run(instance))]),
  )
  const crontab = chores.map(({ name, every }) => `${every} ${name}`).join('\n')
  const short = await work('short', { ...tasksOf(jobs.filter(({ long }) => !long)), ...upkeep }, crontab)
  const long = await work('long', tasksOf(jobs.filter((job) => job.long)), '')
  session = new WorkerSession(database, workers)
  await session.returnOrphans()
  return {
    async stop() {
      stopping.abort()
      const finished = Promise.all([short.stop(), long.stop()]).then(patient.idle)
      given = !(await atMost(stoppingMaxMs.jobs, finished))
      const unlock = { text: 'SELECT graphile_worker.force_unlock_workers($1)', values: [workers] }
      // A database that is away unlocks them by itself, hours later.
      await atMost(stoppingMaxMs.queue, Promise.all([database.run(unlock), looking])).catch(() => {})
      await session?.end()
    },
  }
}

/** A job works for whoever asked for it. */
export function workOf(instance: Instance, { store, by }: Pick<Queued<unknown>, 'store' | 'by'>): Work {
  const [actor = '', requestId = ''] = by.split(' ')
  return new Work({
    store: new Store(store, instance.database, () => instance.clock.now(), by),
    who: { storeId: store, kind: 'job', grant: 'job', keyId: '', actor, caller: actor },
    requestId,
    instance,
  })
}
