import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../clock.ts'

/** A job waits so long for quick ones of its store to end. It does not wait for one that has taken so long already. */
const quickMs = 50

/** A job that does not wait tries again so much later, and the next one of its store at least so much after it. */
const retryMs = { after: 1_000, apart: 20 }

interface StoreJobs {
  /** Those that run, and those that wait here. */
  present: number
  running: number
  /** When the latest of them began, and how long the latest took that has ended. */
  beganMs: number
  tookMs: number
  lastRetryMs: number
  ended: PromiseWithResolvers<void>
}

/** The short jobs of each store, of which a number may run at once: slow ones leave workers to other stores. */
export class StoreTurns {
  readonly #clock: Clock
  readonly #most: number
  readonly #stores = new Map<string, StoreJobs>()

  constructor(clock: Clock, most: number) {
    this.#clock = clock
    this.#most = most
  }

  /** Runs a job. While slow jobs of its store run, returns when to try again. */
  async run(store: string, run: () => Promise<void>): Promise<Date | undefined> {
    const jobs = this.#stores.get(store) ?? noJobs()
    this.#stores.set(store, jobs)
    jobs.present += 1
    try {
      while (jobs.running >= this.#most) {
        const leftMs = jobs.beganMs + quickMs - performance.now()
        if (leftMs <= 0) return this.#retryAt(jobs)
        await Promise.race([jobs.ended.promise, sleep(leftMs)])
      }
      await runCounted(jobs, run)
      return undefined
    } finally {
      jobs.present -= 1
      if (!jobs.present) this.#stores.delete(store)
    }
  }

  /** Jobs come back about as fast as others end. */
  #retryAt(jobs: StoreJobs): Date {
    const soonestMs = this.#clock.now().getTime() + retryMs.after
    const usualMs = Math.max(jobs.tookMs, performance.now() - jobs.beganMs)
    const apartMs = Math.min(retryMs.after, Math.max(retryMs.apart, usualMs / this.#most))
    jobs.lastRetryMs = Math.max(soonestMs, jobs.lastRetryMs + apartMs)
    return new Date(jobs.lastRetryMs)
  }
}

const noJobs = (): StoreJobs => ({
  ...{ present: 0, running: 0, beganMs: 0, tookMs: 0, lastRetryMs: 0 },
  ended: Promise.withResolvers(),
})

async function runCounted(jobs: StoreJobs, run: () => Promise<void>): Promise<void> {
  const beganMs = performance.now()
  jobs.beganMs = beganMs
  jobs.running += 1
  try {
    await run()
  } finally {
    jobs.running -= 1
    jobs.tookMs = performance.now() - beganMs
    jobs.ended.resolve()
    jobs.ended = Promise.withResolvers()
  }
}
