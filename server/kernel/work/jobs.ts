import { EventEmitter } from 'node:events'
import {
  makeWorkerUtils,
  type Runner,
  run,
  type TaskList,
  type WorkerEvents,
  Logger as WorkerLogger,
} from 'graphile-worker'
import { atMost } from '../at-most.ts'
import { newId } from '../ids.ts'
import { patientPool } from '../storage/connections/patient-pool.ts'
import type { Database } from '../storage/database.ts'
import type { Instance } from './context.ts'
import { resumeOrphans } from './errand-leases.ts'
import type { Chore, Job, LongJob } from './job.ts'
import { LongJobs, slots } from './long-jobs.ts'
import { longJobsChannel } from './queue.ts'
import { concurrency, ShortJobs } from './short-jobs.ts'
import { WorkerSession } from './worker-session.ts'

// Silences the queue's own log, since jobs write to the server's log.
const quiet = new WorkerLogger(() => () => {})

/** Queues a chore before its time. The queue contains it at most once. */
export async function queueChore({ database }: Instance, chore: Chore): Promise<void> {
  await database.run({
    text: 'SELECT graphile_worker.add_job($1, max_attempts => $2, job_key => $1)',
    values: [chore.name, chore.attemptsMax],
  })
}

/** Creates the queue's own tables. */
export async function migrateJobs(database: Database): Promise<void> {
  const utils = await makeWorkerUtils({
    pgPool: database.sessions,
    noPreparedStatements: true,
    logger: quiet,
  })
  await utils.migrate()
  await utils.release()
}

/** Jobs that wait for another server hold no connection meanwhile. */
const callConnections = 4

/**
 * The connections that the jobs of a process use: one per job, a second per long job for its progress, two to listen,
 * and one for the locks.
 */
export const jobConnections = callConnections + concurrency.others + 2 * slots + 3

/** How often the queue looks for jobs that have become due. Workers that wait for calls are many. */
const pollMs = { calls: 2_000, others: 1_000 }

const stoppingMaxMs = { jobs: 5_000, queue: 2_000 }

/** How often the queue looks for jobs with a lock but no worker. */
const locksEveryMs = { min: 5_000, max: 10_000 }

/** Runs the queue in this process. It continues by itself after an outage of the database. */
export async function startJobs(
  jobs: readonly (Job | LongJob)[],
  chores: readonly Chore[],
  instance: Instance,
): Promise<Pick<JobQueue, 'stop'>> {
  const queue = new JobQueue(jobs, chores, instance)
  await queue.start()
  return queue
}

class JobQueue {
  readonly #instance: Instance
  readonly #stopping = new AbortController()
  readonly #patient
  readonly #short: ShortJobs
  readonly #long: LongJobs
  readonly #taskLists: Readonly<Record<'calls' | 'others', TaskList>>
  readonly #crontab: string
  readonly #events: WorkerEvents = new EventEmitter()
  /** The names under which its workers lock jobs. */
  readonly #workers: string[]
  /** Once all workers are known. */
  #session: WorkerSession | undefined
  readonly #runners: Runner[] = []
  #returning = Promise.resolve()

  constructor(jobs: readonly (Job | LongJob)[], chores: readonly Chore[], instance: Instance) {
    const { signal } = this.#stopping
    this.#instance = instance
    // A pool that waits for the database: without it, a failed statement of the queue would end the process.
    this.#patient = patientPool(instance.database, signal)
    this.#short = new ShortJobs(instance, signal)
    const longWorker = `long-${newId()}`
    this.#long = new LongJobs(jobs.filter(isLong), instance, longWorker)
    this.#workers = [longWorker]
    const short = jobs.filter(isShort)
    this.#taskLists = {
      calls: this.#short.tasksOf(short.filter(({ callsOut }) => callsOut)),
      others: {
        ...this.#short.tasksOf(short.filter(({ callsOut }) => !callsOut)),
        ...this.#short.upkeepOf(chores),
      },
    }
    this.#crontab = chores.map(({ name, every }) => `${every} ${name}`).join('\n')
  }

  async start(): Promise<void> {
    this.#events.on('pool:create', ({ workerPool }) => this.#workers.push(workerPool.id))
    this.#events.on('resetLocked:success', () => this.#returnSoon())
    this.#runners.push(await this.#begin('others', this.#crontab), await this.#begin('calls', ''))
    const wake = () => this.#long.wake()
    this.#session = new WorkerSession(this.#instance, this.#workers, longJobsChannel, wake)
    await this.#session.returnOrphans()
    await resumeOrphans(this.#instance.database)
    this.#long.start()
  }

  #begin(part: 'calls' | 'others', crontab: string): Promise<Runner> {
    return run({
      pgPool: this.#patient.pool,
      taskList: this.#taskLists[part],
      crontab,
      concurrency: concurrency[part],
      pollInterval: pollMs[part],
      minResetLockedInterval: locksEveryMs.min,
      maxResetLockedInterval: locksEveryMs.max,
      noHandleSignals: true,
      logger: quiet,
      events: this.#events,
    })
  }

  /**
   * Returns jobs that were locked when the connection broke or the process was killed: the queue itself would keep them
   * locked for hours.
   */
  #returnSoon(): void {
    this.#returning = this.#returning
      .then(() => this.#returnLocked())
      .catch((error: unknown) => {
        if (this.#stopping.signal.aborted) return
        this.#instance.log.error({ err: error }, 'cannot put lost jobs back into the queue yet')
      })
  }

  async #returnLocked(): Promise<void> {
    // A process that stops returns all its jobs anyway.
    if (this.#stopping.signal.aborted) return
    await this.#session?.returnOrphans()
    await resumeOrphans(this.#instance.database)
    // A job that has ended, but whose end is not stored yet, is not lost.
    if (!this.#patient.busy()) await this.#session?.returnLost(this.#short.inHand)
  }

  /** Waits until the running jobs finish. A job that takes too long returns to the queue, for another process. */
  async stop(): Promise<void> {
    // An error would keep the frames of this call, and what they hold, as long as its stack is not read.
    this.#stopping.abort('the server stops')
    const stopped = Promise.all(this.#runners.map((runner) => runner.stop()))
    const finished = Promise.all([stopped.then(this.#patient.idle), this.#long.finish()])
    if (!(await atMost(stoppingMaxMs.jobs, finished))) this.#short.giveUp()
    const unlock = { text: 'SELECT graphile_worker.force_unlock_workers($1)', values: [this.#workers] }
    // If the database is away, the locks expire by themselves after hours.
    const unlocked = Promise.all([
      this.#instance.database.run(unlock),
      this.#long.giveBack(),
      this.#returning,
    ])
    await atMost(stoppingMaxMs.queue, unlocked).catch(() => {})
    await this.#session?.end()
    // The queue keeps the options of each of its runs for as long as the process lives, and with them this server.
    this.#events.removeAllListeners()
    for (const taskList of Object.values(this.#taskLists))
      for (const name of Object.keys(taskList)) delete taskList[name]
  }
}

const isLong = (job: Job | LongJob): job is LongJob => job.long === true
const isShort = (job: Job | LongJob): job is Job => !job.long
