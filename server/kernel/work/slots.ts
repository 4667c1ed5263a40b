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
