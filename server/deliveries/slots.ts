import { Memory } from '../kernel/memory.ts'
import type { Outcome } from '../targets/index.ts'

/** How many messages may be under way. */
export const slotLimits = {
  /** Of all endpoints, beside the first one of each. */
  shared: 64,
  /** Of these, for endpoints whose responses take long. */
  forLong: 16,
  /** Of one endpoint, with its first one. */
  perEndpoint: 16,
  /** In total, which bounds the sockets of the process. */
  total: 2_000,
} as const

type Limits = Readonly<Record<keyof typeof slotLimits, number>>

/** What the average response of an endpoint may take before it counts as long. */
const longS = 1
/** How much of the average the latest response is: quick ones in between do not hide long ones. */
const latestShare = 0.2
/** How many endpoints are known at a time. */
const endpointsMax = 10_000

/** How an endpoint has answered. */
type ResponseTiming = Pick<Outcome, 'isSlow' | 'processingTimeS'>

/**
 * Who may send how much at once. Each endpoint has a slot of its own, so a slow one does not delay another while fewer
 * than `total` are in use. Further slots come from a shared pool. Endpoints whose responses take long share a part of
 * it; one that did not answer in time gets none of them until it answers.
 */
export class Slots {
  readonly #limits: Limits
  readonly #used = new Map<string, number>()
  readonly #slow = new Set<string>()
  readonly #averageS = new Memory<string, number>(endpointsMax)
  #shared = 0
  #total = 0

  constructor(limits: Limits = slotLimits) {
    this.#limits = limits
  }

  get used(): number {
    return this.#total
  }

  /** Takes as many slots for an endpoint as it may have now, at most `most`. */
  take(endpoint: string, most: number): number {
    const used = this.#used.get(endpoint) ?? 0
    const { shared, perEndpoint, total } = this.#limits
    const own = used === 0 ? 1 : 0
    const free = Math.min(shared - this.#shared, this.#takesLong(endpoint) ? this.#freeForLong() : shared)
    const more = this.#slow.has(endpoint) ? 0 : Math.min(free, perEndpoint - used - own)
    const taken = Math.min(most, own + Math.max(0, more), total - this.#total)
    if (taken > 0) this.#set(endpoint, used + taken)
    return taken
  }

  give(endpoint: string, slots = 1): void {
    this.#set(endpoint, (this.#used.get(endpoint) ?? 0) - slots)
  }

  note(endpoint: string, { isSlow, processingTimeS }: ResponseTiming): void {
    if (isSlow) this.#slow.add(endpoint)
    else this.#slow.delete(endpoint)
    const before = this.#averageS.get(endpoint) ?? 0
    this.#averageS.set(endpoint, before + latestShare * (processingTimeS - before))
  }

  #takesLong(endpoint: string): boolean {
    return (this.#averageS.get(endpoint) ?? 0) > longS
  }

  #freeForLong(): number {
    let free = this.#limits.forLong
    for (const [endpoint, used] of this.#used) if (this.#takesLong(endpoint)) free -= used - 1
    return free
  }

  #set(endpoint: string, used: number): void {
    const before = this.#used.get(endpoint) ?? 0
    this.#total += used - before
    this.#shared += Math.max(0, used - 1) - Math.max(0, before - 1)
    if (used > 0) this.#used.set(endpoint, used)
    else this.#used.delete(endpoint)
  }
}
