import type { Clock } from '../clock.ts'
import { Memory } from '../memory.ts'

/** How many calls of other servers may be under way. */
interface SlotLimits {
  /** Of all owners, beside the first one of each. */
  readonly shared: number
  /** Of these, for owners whose calls take long. */
  readonly forLong: number
  /** Of one owner, with its first one. */
  readonly perOwner: number
  readonly total: number
}

/** What the average call of an owner may take before it counts as long. */
const longS = 1
/** How much of the average the latest call is: quick ones in between do not hide long ones. */
const latestShare = 0.2
/** How many owners are known at a time. */
const ownersMax = 10_000

/** How long a call has taken. */
interface CallTiming {
  /** It had no answer in time. */
  readonly isSlow: boolean
  readonly processingTimeS: number
}

/**
 * Who may call how much at once. Each owner, such as a store or an endpoint, has a slot of its own, so a slow one does
 * not delay another while fewer than `total` are in use. Further slots come from a shared pool. Owners whose calls take
 * long share a part of it; one that had no answer in time gets none of them until it has one.
 */
export class Slots {
  readonly #limits: SlotLimits
  readonly #used = new Map<string, number>()
  readonly #slow = new Set<string>()
  readonly #averageS = new Memory<string, number>(ownersMax)
  #shared = 0
  #total = 0

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  get used(): number {
    return this.#total
  }

  /** Takes as many slots for an owner as it may have now, at most `most`. */
  take(owner: string, most: number): number {
    const used = this.#used.get(owner) ?? 0
    const { shared, perOwner, total } = this.#limits
    const own = used === 0 ? 1 : 0
    const free = Math.min(shared - this.#shared, this.#takesLong(owner) ? this.#freeForLong() : shared)
    const more = this.#slow.has(owner) ? 0 : Math.min(free, perOwner - used - own)
    const taken = Math.min(most, own + Math.max(0, more), total - this.#total)
    if (taken > 0) this.#set(owner, used + taken)
    return taken
  }

  give(owner: string, slots = 1): void {
    this.#set(owner, (this.#used.get(owner) ?? 0) - slots)
  }

  note(owner: string, { isSlow, processingTimeS }: CallTiming): void {
    if (isSlow) this.#slow.add(owner)
    else this.#slow.delete(owner)
    const before = this.#averageS.get(owner) ?? 0
    this.#averageS.set(owner, before + latestShare * (processingTimeS - before))
  }

  #takesLong(owner: string): boolean {
    return (this.#averageS.get(owner) ?? 0) > longS
  }

  #freeForLong(): number {
    let free = this.#limits.forLong
    for (const [owner, used] of this.#used) if (this.#takesLong(owner)) free -= used - 1
    return free
  }

  #set(owner: string, used: number): void {
    const before = this.#used.get(owner) ?? 0
    this.#total += used - before
    this.#shared += Math.max(0, used - 1) - Math.max(0, before - 1)
    if (used > 0) this.#used.set(owner, used)
    else this.#used.delete(owner)
  }
}

/** How many jobs that call other servers a process runs at a time, and how many of one store for one other server. */
export const callLimits = { total: 20, perOwner: 3, shared: 14, forLong: 4 } as const

/** An answer that takes longer is one that hangs. */
const slowMs = 5_000

/** A job without a slot tries again so much later; the next one of its owner a little after it. */
const retryMs = { after: 1_000, apart: 100 }

const retriesMax = 10_000

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
  readonly #lastRetryMs = new Memory<string, number>(retriesMax)

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
