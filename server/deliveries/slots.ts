/** How many messages may be under way, beside the one that each endpoint always may have. */
export const slotLimits = {
  /** Of all endpoints. */
  shared: 64,
  /** Of one endpoint. */
  perEndpoint: 16,
  /** In total, which bounds the sockets of the process. */
  total: 2_000,
} as const

/**
 * Who may send how much at once. Each endpoint has a slot of its own, so a slow one never delays another. Further slots
 * come from a shared pool; an endpoint that did not answer in time gets none of them until it answers.
 */
export class Slots {
  readonly #limits: { readonly shared: number; readonly perEndpoint: number; readonly total: number }
  readonly #used = new Map<string, number>()
  readonly #slow = new Set<string>()
  #shared = 0
  #total = 0

  constructor(
    limits: { readonly shared: number; readonly perEndpoint: number; readonly total: number } = slotLimits,
  ) {
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
    const more = this.#slow.has(endpoint) ? 0 : Math.min(shared - this.#shared, perEndpoint - used - own)
    const taken = Math.min(most, own + Math.max(0, more), total - this.#total)
    if (taken > 0) this.#set(endpoint, used + taken)
    return taken
  }

  give(endpoint: string, slots = 1): void {
    this.#set(endpoint, (this.#used.get(endpoint) ?? 0) - slots)
  }

  /** Whether an endpoint has answered in time. */
  note(endpoint: string, isSlow: boolean): void {
    if (isSlow) this.#slow.add(endpoint)
    else this.#slow.delete(endpoint)
  }

  #set(endpoint: string, used: number): void {
    const before = this.#used.get(endpoint) ?? 0
    this.#total += used - before
    this.#shared += Math.max(0, used - 1) - Math.max(0, before - 1)
    if (used > 0) this.#used.set(endpoint, used)
    else this.#used.delete(endpoint)
  }
}
