import { setTimeout as sleep } from 'node:timers/promises'
import { isTemporary } from '../../kernel/storage/database.ts'
import type { Instance } from '../../kernel/work/context.ts'
import { type Attempt, recordAttempts } from './record-attempts.ts'

/** Attempts in one transaction. */
const batchMax = 100
const retryMs = 1_000

/** Records attempts behind each other, many in one transaction: a commit per attempt would be most of its cost. */
export class AttemptRecorder {
  readonly #instance: Instance
  readonly #onRecorded: (attempts: readonly Attempt[]) => void
  #waiting: Attempt[] = []
  #recording: Promise<void> | undefined

  constructor(instance: Instance, onRecorded: (attempts: readonly Attempt[]) => void) {
    this.#instance = instance
    this.#onRecorded = onRecorded
  }

  add(attempt: Attempt): void {
    this.#waiting.push(attempt)
    this.#recording ??= this.#record().finally(() => {
      this.#recording = undefined
    })
  }

  /** Resolves when all attempts are recorded. */
  async idle(): Promise<void> {
    while (this.#recording) await this.#recording
  }

  async #record(): Promise<void> {
    while (this.#waiting.length) {
      const storeId = this.#waiting[0]?.job.storeId as string
      const batch = this.#waiting.filter(({ job }) => job.storeId === storeId).slice(0, batchMax)
      const taken = new Set(batch)
      this.#waiting = this.#waiting.filter((attempt) => !taken.has(attempt))
      await this.#recordBatch(storeId, batch)
      this.#onRecorded(batch)
    }
  }

  /** One attempt that cannot be recorded must not make the server send the others again. */
  async #recordEach(storeId: string, batch: readonly Attempt[]): Promise<void> {
    for (const attempt of batch) await this.#recordBatch(storeId, [attempt])
  }

  /** Waits for a database that is away. If that takes longer than the leases, another process sends the jobs again. */
  async #recordBatch(storeId: string, batch: readonly Attempt[]): Promise<void> {
    for (;;) {
      try {
        return await recordAttempts(this.#instance, storeId, batch)
      } catch (error) {
        if (isTemporary(error)) await sleep(retryMs)
        else if (batch.length > 1) return await this.#recordEach(storeId, batch)
        else {
          this.#instance.log.error({ err: error }, 'cannot record an attempt of an integration')
          return
        }
      }
    }
  }
}
