import type { Logger } from 'pino'
import { atMost } from '../at-most.ts'
import { Problem } from '../errors.ts'
import type { Connection } from '../storage/database.ts'
import type { Nodes } from '../storage/nodes/nodes.ts'

/** Writes within this time get their positions together. */
const restMs = 5
/** The longest rest after a short pass: each pass makes the disk, and so every writer, wait once more. */
const longRestMs = 50
/** The interval for changes that another process, or this one before a crash, has left. */
const pollMs = 1000
/** With many stores, polling all of them takes long; this is the largest share of the time it may take. */
const pollShare = 1 / 50
/** Changes per store in one pass, so that every store gets a turn. */
const changesMax = 1000
const stoppingMaxMs = 5000

type Mark = readonly [tip: string | null, xid: string | null]

/**
 * Gives the changes of this process their positions in the change feed, some milliseconds after their commit. Readers
 * see a change when it has its position. See docs/decisions/0012-feed-positions.md.
 */
export class Sequencer {
  readonly #database: Connection
  readonly #nodes: Nodes
  readonly #log: Logger
  readonly #onSequenced: (storeIds: readonly string[]) => void
  readonly #written = new Set<string>()
  /** On each node, the changes before this mark have their positions: see `sequence_stores`. */
  readonly #marks = new Map<string, Mark>()
  #pollAtMs = 0
  #restMs = restMs
  #timer: NodeJS.Timeout | undefined
  #dueMs = Infinity
  #passing: Promise<void> | undefined
  #fails = false
  #stopped = false

  /** Begins with changes from earlier runs. `onSequenced` is called with the stores that got positions. */
  constructor(
    database: Connection,
    nodes: Nodes,
    log: Logger,
    onSequenced: (storeIds: readonly string[]) => void = () => {},
  ) {
    this.#database = database
    this.#nodes = nodes
    this.#log = log
    this.#onSequenced = onSequenced
    this.#schedule()
  }

  /** Schedules a pass after a write in this store. */
  wake(storeId: string): void {
    this.#written.add(storeId)
    this.#schedule()
  }

  /**
   * Stops, and leaves the remaining changes to other processes or the next start. Call it before closing the database.
   */
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
    // A poll asks all nodes. If one is away, the changes of this process still get their positions on the others.
    const polled = beganMs >= this.#pollAtMs ? [await this.#attempt(() => this.#poll())] : []
    const isDone = [...polled, await this.#attempt(() => this.#sequenceWritten())].every((done) => done)
    this.#fails = !isDone
    // Under load a pass may take three quarters of the time, or half if passes are long.
    const passedMs = performance.now() - beganMs
    this.#restMs = Math.max(restMs, passedMs, Math.min(3 * passedMs, longRestMs))
  }

  /** Whether it succeeds. */
  async #attempt(act: () => Promise<void>): Promise<boolean> {
    try {
      await act()
      return true
    } catch (error) {
      // Other work on the database reports that it is away.
      if (!this.#fails && !(error instanceof Problem)) {
        this.#log.error({ err: error }, 'cannot move changes into the change feed')
      }
      // After an outage it may be another database.
      this.#marks.clear()
      this.#pollAtMs = performance.now() + pollMs
      return false
    }
  }

  async #poll(): Promise<void> {
    const beganMs = performance.now()
    const stores = await this.#database.run({ text: 'SELECT stores_with_fresh_changes()', values: [] })
    for (const [storeId] of stores) this.#written.add(storeId as string)
    const endedMs = performance.now()
    this.#pollAtMs = endedMs + Math.max(pollMs, (endedMs - beganMs) / pollShare)
  }

  async #sequenceWritten(): Promise<void> {
    const stores = [...this.#written]
    this.#written.clear()
    await this.#nodes.each(stores, (ids, node) => this.#sequence(ids, node))
  }

  async #sequence(stores: readonly [string, ...string[]], node: string): Promise<void> {
    const [row] = await this.#database.run({
      text: 'SELECT tip, xid, busy FROM sequence_stores($1, $2, $3, $4, $5)',
      values: [stores[0], stores, changesMax, ...(this.#marks.get(node) ?? [null, null])],
    })
    const [tip = null, xid = null, busy] = row ?? []
    this.#marks.set(node, [tip, xid])
    this.#onSequenced(stores)
    for (const storeId of busy?.match(/[0-9a-f-]{36}/g) ?? []) this.#written.add(storeId)
  }
}
