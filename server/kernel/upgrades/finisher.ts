import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { Problem } from '../errors.ts'
import type { Database } from '../storage/database.ts'
import type { BackfillProgress } from './backfill.ts'
import { finishMigrations } from './finish.ts'

const lookAgainMs = 10_000
const reportEveryMs = 60_000

/** Finishes migrations beside the requests of this process, unless another process does. */
export class Finisher {
  readonly #database: Database
  readonly #log: Logger
  readonly #stopping = new AbortController()
  #finishing = Promise.resolve()
  #reportedMs = Number.NEGATIVE_INFINITY
  #unfinished: string | undefined

  constructor(database: Database, log: Logger) {
    this.#database = database
    this.#log = log
  }

  start(): void {
    this.#finishing = this.#untilFinished()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#finishing
  }

  async #untilFinished(): Promise<void> {
    const { signal } = this.#stopping
    const onProgress = (progress: BackfillProgress) => this.#report(progress)
    while (!signal.aborted) {
      try {
        const reason = await finishMigrations(this.#database, { signal, isGentle: true, onProgress })
        if (reason === undefined) return
        if (reason !== this.#unfinished) this.#log.info(`migrations are not finished: ${reason}`)
        this.#unfinished = reason
      } catch (error) {
        // Other work on the database reports that it is away.
        if (!signal.aborted && !(error instanceof Problem)) {
          this.#log.error({ err: error }, 'cannot finish the migrations yet')
        }
      }
      await sleep(lookAgainMs, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  #report({ name, rowsDone, rowsTotal }: BackfillProgress): void {
    const nowMs = performance.now()
    if (nowMs - this.#reportedMs < reportEveryMs) return
    this.#reportedMs = nowMs
    this.#log.info(`the backfill ${name} has done ${rowsDone} of about ${rowsTotal} rows`)
  }
}
