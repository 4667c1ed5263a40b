import type { Clock } from '../clock.ts'
import { Memory } from '../memory.ts'
import { Slots } from './slots.ts'

/** How many jobs that call other servers a process runs at a time, and how many of one store for one other server. */
export const callLimits = { total: 20, perOwner: 3, shared: 14, forLong: 4 } as const

/** An answer that takes longer is one that hangs. */
const slowMs = 5_000

/** A job without a slot tries again so much later; the next one of its owner a little after it. */
const retryMs = { after: 1_000, apart: 100 }

const ownersMax = 10_000

/** Whose slots a job uses. */
interface SlotOwner {
  readonly store: string
  /** The other server, in the words of the job. A store may call several, and one that hangs delays no other. */
  readonly peer: string
}

/** Jobs that call other servers, as many of each store and other server as have a slot: see `Slots`. */
export class CallSlots {
  readonly #clock: Clock
  readonly #slots = new Slots(callLimits)
  readonly #lastRetryMs = new Memory<string, number>(ownersMax)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Runs a job. Where its owner has no slot, returns when to try again. */
  async run({ store, peer }: SlotOwner, run: () => Promise<void>): Promise<Date | undefined> {
    const owner = `${store} ${peer}`
    if (!this.#slots.take(owner, 1)) return this.#retryAt(owner)
    const beganMs = performance.now()
    try {
      await run()
    } finally {
      const tookMs = performance.now() - beganMs
      this.#slots.note(owner, { isSlow: tookMs > slowMs, processingTimeS: tookMs / 1000 })
      this.#slots.give(owner)
    }
    return undefined
  }

  #retryAt(owner: string): Date {
    const soonestMs = this.#clock.now().getTime() + retryMs.after
    const atMs = Math.max(soonestMs, (this.#lastRetryMs.get(owner) ?? 0) + retryMs.apart)
    this.#lastRetryMs.set(owner, atMs)
    return new Date(atMs)
  }
}
