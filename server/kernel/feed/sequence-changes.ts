import type { Logger } from 'pino'
import { atMost } from '../at-most.ts'
import { Problem } from '../errors.ts'
import type { Connection } from '../storage/database.ts'

/** Writes of a moment are given their positions together. */
const restMs = 5
/** A short pass is followed by a rest of up to this: each makes the disk, and so all writers, wait once more. */
const longRestMs = 50
/** For what another process, or this one before it crashed, has left. */
const pollMs = 1000
/** With many stores asking all of them takes a while: no more than this part of the time is spent on it. */
const pollShare = 1 / 50
/** In one store at a time, so that the others have their turn. */
const changesMax = 1000
const stoppingMaxMs = 5000

/**
 * Gives the changes that this process writes their positions in the change feed, some milliseconds after they were
 * committed. Readers of the feed see a change when it has its position. See docs/decisions/0012-feed-positions.md.
 */
export class Sequencer {
  readonly #database: Connection
  readonly #log: Logger
  readonly #written = new Set<string>()
  /** Which fresh changes need not be looked for any more: see `sequence_changes`. */
  #mark: readonly [tip: string | null, xid: string | null] = [null, null]
  #pollAtMs = 0
  #restMs = restMs
  #timer: NodeJS.Timeout | undefined
  #dueMs = Infinity
  #passing: Promise<void> | undefined
  #fails = false
  #stopped = false

  /** Begins with what is left from earlier. */
  constructor(database: Connection, log: Logger) {
    this.#database = database
    this.#log = log
    this.#schedule()
  }

  /** Something was written in this store. */
  wake(storeId: string): void {
    this.#written.add(storeId)
    this.#schedule()
  }

  /** What has no position yet is left to others, or the next start. To be called before the database is closed. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    if (this.#passing) await atMost(stoppingMaxMs, this.#passing)
  }

  #schedule(): void {
    if (this.#stopped || this.#passing) return
    const nowMs = performance.now()
    const soon = this.#written.size > 0 && !this.#fails
    const dueMs = Math.min(this.#pollAtMs, soon ? nowMs + this.#restMs : Infinity)
    if (dueMs >= this.#dueMs) return
    clearTimeout(this.#timer)
    this.#dueMs = dueMs
    this.#timer = setTimeout(() => this.#begin(), Math.max(0, dueMs - nowMs))
  }

  #begin(): void {
    this.#dueMs = Infinity
    this.#passing = this.#pass().finally(() => {
      this.#passing = undefined
      this.#schedule()
    })
  }

  async #pass(): Promise<void> {
    const beganMs = performance.now()
    try {
      if (beganMs >= this.#pollAtMs) await this.#poll()
      const stores = [...this.#written]
      this.#written.clear()
      if (stores.length) await this.#sequence(stores)
      this.#fails = false
    } catch (error) {
      // That the database is away is said by whoever else needs it.
      if (!this.#fails && !(error instanceof Problem)) {
        this.#log.error({ err: error }, 'cannot move changes into the change feed')
      }
      this.#fails = true
      // It may be another database that comes back.
      this.#mark = [null, null]
      this.#pollAtMs = performance.now() + pollMs
    }
    // Under load three quarters of the time; half of it where there is so much that passes are long.
    const passedMs = performance.now() - beganMs
    this.#restMs = Math.max(restMs, passedMs, Math.min(3 * passedMs, longRestMs))
  }

  async #poll(): Promise<void> {
    const beganMs = performance.now()
    const stores = await this.#database.run({ text: 'SELECT stores_with_fresh_changes()', values: [] })
    for (const [storeId] of stores) this.#written.add(storeId as string)
    const endedMs = performance.now()
    this.#pollAtMs = endedMs + Math.max(pollMs, (endedMs - beganMs) / pollShare)
  }

  async #sequence(stores: readonly string[]): Promise<void> {
    const [row] = await this.#database.run({
      text: 'CALL sequence_changes($1, $2, $3, $4)',
      values: [stores, changesMax, ...this.#mark],
    })
    const [tip = null, xid = null, busy] = row ?? []
    this.#mark = [tip, xid]
    for (const storeId of busy?.match(/[0-9a-f-]{36}/g) ?? []) this.#written.add(storeId)
  }
}
