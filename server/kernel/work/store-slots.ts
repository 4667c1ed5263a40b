import type { Clock } from '../clock.ts'
import { Memory } from '../memory.ts'
import { Slots } from './slots.ts'

/** How many jobs that call other servers a process runs at a time, and how many of one store. */
export const callLimits = { total: 20, perOwner: 3, shared: 14, forLong: 4 } as const

/** An answer that takes longer is one that hangs. */
const slowMs = 5_000

/** A job without a slot tries again so much later; the next one of its store a little after it. */
const retryMs = { after: 1_000, apart: 100 }

const storesMax = 10_000

/** Jobs that call other servers, as many of each store as have a slot: see `Slots`. */
export class StoreSlots {
  readonly #clock: Clock
  readonly #slots = new Slots(callLimits)
  readonly #lastRetryMs = new Memory<string, number>(storesMax)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Runs a job of a store. Where the store has no slot, returns when to try again. */
  async run(storeId: string, run: () => Promise<void>): Promise<Date | undefined> {
    if (!this.#slots.take(storeId, 1)) return this.#retryAt(storeId)
    const beganMs = performance.now()
    try {
      await run()
    } finally {
      const tookMs = performance.now() - beganMs
      this.#slots.note(storeId, { isSlow: tookMs > slowMs, processingTimeS: tookMs / 1000 })
      this.#slots.give(storeId)
    }
    return undefined
  }

  #retryAt(storeId: string): Date {
    const soonestMs = this.#clock.now().getTime() + retryMs.after
    const atMs = Math.max(soonestMs, (this.#lastRetryMs.get(storeId) ?? 0) + retryMs.apart)
    this.#lastRetryMs.set(storeId, atMs)
    return new Date(atMs)
  }
}
