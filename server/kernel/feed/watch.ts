import type { Logger } from 'pino'
import type { Connection } from '../storage/database.ts'
import type { Nodes } from '../storage/nodes/nodes.ts'
import { currentTimings, outOfPlace } from '../traces/scopes.ts'
import type { FeedWatch } from '../work/context.ts'

/** How soon the changes of other processes are noticed. */
const pollMs = 500

interface Waiter {
  readonly position: number
  readonly resolve: () => void
}

/** Tells readers of this process when a store has new changes in its feed. A waiting reader holds no connection. */
export class FeedWatcher implements FeedWatch {
  readonly #database: Connection
  readonly #nodes: Nodes
  readonly #log: Logger
  readonly #waiters = new Map<string, Set<Waiter>>()
  readonly #listeners = new Set<(storeIds: readonly string[]) => void>()
  #timer: NodeJS.Timeout | undefined
  #looking = false
  #stopped = false

  constructor(database: Connection, nodes: Nodes, log: Logger) {
    this.#database = database
    this.#nodes = nodes
    this.#log = log
  }

  /** Called when this process has given positions to changes of these stores. */
  note(storeIds: readonly string[]): void {
    for (const listener of this.#listeners) listener(storeIds)
    if (storeIds.some((id) => this.#waiters.has(id))) this.#look()
  }

  get isStopped(): boolean {
    return this.#stopped
  }

  onChange(listener: (storeIds: readonly string[]) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async past(storeId: string, position: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#stopped) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const done = () => resolve()
    const waiter = { position, resolve: done }
    const waiters = this.#waiters.get(storeId) ?? new Set()
    this.#waiters.set(storeId, waiters.add(waiter))
    signal.addEventListener('abort', done, { once: true })
    this.#look()
    const beganMs = performance.now()
    try {
      await outOfPlace(() => promise)
    } finally {
      currentTimings()?.idle(performance.now() - beganMs)
      signal.removeEventListener('abort', done)
      waiters.delete(waiter)
      if (waiters.size === 0 && this.#waiters.get(storeId) === waiters) this.#waiters.delete(storeId)
    }
  }

  /** Ends all waiting. */
  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
    for (const { resolve } of [...this.#waiters.values()].flatMap((some) => [...some])) resolve()
  }

  #look(): void {
    if (this.#looking || this.#stopped) return
    this.#looking = true
    clearTimeout(this.#timer)
    void this.#resolvePast().finally(() => {
      this.#looking = false
      if (this.#waiters.size > 0 && !this.#stopped) this.#timer = setTimeout(() => this.#look(), pollMs)
    })
  }

  async #resolvePast(): Promise<void> {
    try {
      await this.#nodes.each([...this.#waiters.keys()], (storeIds) => this.#resolveThoseIn(storeIds))
    } catch (error) {
      this.#log.debug({ err: error }, 'cannot look for changes yet')
    }
  }

  async #resolveThoseIn(storeIds: readonly string[]): Promise<void> {
    const text = 'SELECT store_id, position FROM feeds WHERE store_id = ANY($1::uuid[])'
    const rows = await this.#database.run({ text, values: [storeIds] })
    for (const [storeId, position] of rows)
      for (const waiter of this.#waiters.get(storeId as string) ?? [])
        if (Number(position) > waiter.position) waiter.resolve()
  }
}
