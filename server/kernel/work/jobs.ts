import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type JobHelpers,
  makeWorkerUtils,
  run,
  type Task,
  type TaskList,
  type WorkerEvents,
  Logger as WorkerLogger,
} from 'graphile-worker'
import { atMost } from '../at-most.ts'
import { newId } from '../ids.ts'
import { patientPool } from '../storage/connections/patient-pool.ts'
import { type Database, isDatabaseAway } from '../storage/database.ts'
import { inRootSpan } from '../traces/spans.ts'
import type { Instance } from './context.ts'
import { type Chore, failedJobs, type Job, type LongJob } from './job.ts'
import { LongJobs, slots } from './long-jobs.ts'
import { resumeOrphans } from './outside-calls.ts'
import { longJobsChannel } from './queue.ts'
import { CallSlots, callLimits } from './slots.ts'
import { workOf } from './work-of.ts'
import { WorkerSession } from './worker-session.ts'

// Silences the queue's own log, since jobs write to the server's log.
const quiet = new WorkerLogger(() => () => {})

/** The payload of a job in the queue. */
interface QueuedJob<P> {
  readonly store: string
  /** The author, see `authorOf`. */
  readonly by: string
  readonly payload: P
}

/** Queues a chore before its time. The queue contains it at most once. */
export async function queueChore({ database }: Instance, chore: Chore): Promise<void> {
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

/** How many short jobs a process runs at a time: those that call another server, and all others. */
const concurrency = { calls: callLimits.total, others: 2 }

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

/** The first and the longest delay of a short job while the database is away. */
const retryAfterMs = { min: 1_000, max: 60_000 }

/** How often the queue looks for jobs with a lock but no worker. */
const locksEveryMs = { min: 5_000, max: 10_000 }

/** Runs the queue in this process. It continues by itself after an outage of the database. */
export async function startJobs(
  jobs: readonly (Job | LongJob)[],
  chores: readonly Chore[],
  instance: Instance,
): Promise<{
  /** Waits until the running jobs finish. A job that takes too long returns to the queue, for another process. */
  stop(): Promise<void>
}> {
  const { database, log } = instance
  let isReturned = false
  const stopping = new AbortController()
  // A pool that waits for the database: without it, a failed statement of the queue would end the process.
  const patient = patientPool(database.pool, stopping.signal)
  const events: WorkerEvents = new EventEmitter()
  const longWorker = `long-${newId()}`
  const long = new LongJobs(jobs.filter(isLong), instance, longWorker)
  const workers = [longWorker]
  const inHand = new Set<string>()
  const callSlots = new CallSlots(instance.clock)
  let session: WorkerSession | undefined
  let looking = Promise.resolve()
  events.on('pool:create', ({ workerPool }) => workers.push(workerPool.id))
  // Returns jobs that were locked when the connection broke or the process was killed: the queue itself would keep them
  // locked for hours.
  events.on('resetLocked:success', () => {
    const returned = async () => {
      // A process that stops returns all its jobs anyway.
      if (stopping.signal.aborted) return
      await session?.returnOrphans()
      await resumeOrphans(database)
      // A job that has ended, but whose end is not stored yet, is not lost.
      if (!patient.busy()) await session?.returnLost(inHand)
    }
    looking = looking.then(returned).catch((error: unknown) => {
      if (stopping.signal.aborted) return
      log.error({ err: error }, 'cannot put lost jobs back into the queue yet')
    })
  })
  /** An outage of the database is not a fault of the job, so the job waits here until the database is back. */
  const runPatiently = async (run: () => Promise<void>) => {
    for (let waitMs = retryAfterMs.min; ; waitMs = Math.min(2 * waitMs, retryAfterMs.max)) {
      try {
        return await run()
      } catch (error) {
        if (!isDatabaseAway(error) || stopping.signal.aborted) throw error
        await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => {})
      }
    }
  }
  const task =
    (name: string, run: Task): Task =>
    async (payload, helpers) => {
      inHand.add(helpers.job.id)
      try {
        await inRootSpan(`job ${name}`, { kind: 'CONSUMER', attributes: { 'sutler.job': name } }, () =>
          runPatiently(async () => void (await run(payload, helpers))),
        )
      } catch (error) {
        failedJobs.inc({ job: name })
        log.error({ err: error }, `job ${name} failed`)
        throw error
      } finally {
        inHand.delete(helpers.job.id)
        // Another process has the job now, so the queue must not hear how it ended here.
        if (isReturned) await new Promise(() => {})
      }
    }
  const tasksOf = (some: readonly Job[]): TaskList =>
    Object.fromEntries(
      some.map((job) => [
        job.name,
        task(job.name, async (queued, helpers) => {
          const { payload, ...author } = queued as QueuedJob<unknown>
          const peer = job.callsOut?.(payload)
          const run = async () => {
            await job.run(workOf(instance, author), payload)
            instance.onWrite(author.store)
          }
          const retryAt = await (peer === undefined
            ? run()
            : callSlots.run({ store: author.store, peer }, run))
          if (retryAt) await putOff(helpers, retryAt)
        }),
      ]),
    )
  const upkeep: TaskList = Object.fromEntries(
    chores.map((chore) => [chore.name, task(chore.name, () => chore.run(instance))]),
  )
  const short = jobs.filter(isShort)
  const taskLists = {
    calls: tasksOf(short.filter(({ callsOut }) => callsOut)),
    others: { ...tasksOf(short.filter(({ callsOut }) => !callsOut)), ...upkeep },
  }
  const begin = (part: keyof typeof taskLists, crontab: string) =>
    run({
      pgPool: patient.pool,
      taskList: taskLists[part],
      crontab,
      concurrency: concurrency[part],
      pollInterval: pollMs[part],
      minResetLockedInterval: locksEveryMs.min,
      maxResetLockedInterval: locksEveryMs.max,
      noHandleSignals: true,
      logger: quiet,
      events,
    })
  const runners = [
    await begin('others', chores.map(({ name, every }) => `${every} ${name}`).join('\n')),
    await begin('calls', ''),
  ]
  session = new WorkerSession(instance, workers, longJobsChannel, () => long.wake())
  await session.returnOrphans()
  await resumeOrphans(database)
  long.start()
  return {
    async stop() {
      // An error would keep the frames of this call, and what they hold, as long as its stack is not read.
      stopping.abort('the server stops')
      const stopped = Promise.all(runners.map((runner) => runner.stop()))
      const finished = Promise.all([stopped.then(patient.idle), long.finish()])
      isReturned = !(await atMost(stoppingMaxMs.jobs, finished))
      const unlock = { text: 'SELECT graphile_worker.force_unlock_workers($1)', values: [workers] }
      // If the database is away, the locks expire by themselves after hours.
      const unlocked = Promise.all([database.run(unlock), long.giveBack(), looking])
      await atMost(stoppingMaxMs.queue, unlocked).catch(() => {})
      await session?.end()
      // The queue keeps the options of each of its runs for as long as the process lives, and with them this server.
      events.removeAllListeners()
      for (const taskList of Object.values(taskLists))
        for (const name of Object.keys(taskList)) delete taskList[name]
    },
  }
}

/** Returns a job to the queue, until an instant. It takes the place of itself. */
const putOff = ({ addJob, job }: JobHelpers, runAt: Date): Promise<unknown> =>
  addJob(job.task_identifier, job.payload, {
    ...{ runAt, maxAttempts: job.max_attempts },
    ...(job.key !== null && { jobKey: job.key }),
  })

const isLong = (job: Job | LongJob): job is LongJob => job.long === true
const isShort = (job: Job | LongJob): job is Job => !job.long
