/**
 * The keys that were added recently. With more than `keysMax`, it forgets the oldest early: there are two generations,
 * and a full young one replaces the old one. It is not a `Memory` because it is called for every row of every list, and
 * takes a third of the time.
 */
export class RecentKeys {
  readonly #withinMs: number
  readonly #generationMax: number
  #young = new Map<string, number>()
  #old = new Map<string, number>()

  constructor(withinMs: number, keysMax: number) {
    this.#withinMs = withinMs
    this.#generationMax = keysMax / 2
  }

  /** Adds the key. Returns whether it is new: it was not added within `withinMs`. */
  add(key: string, nowMs: number): boolean {
    const addedMs = this.#young.get(key) ?? this.#old.get(key)
    if (addedMs !== undefined && nowMs - addedMs < this.#withinMs) return false
    if (this.#young.size >= this.#generationMax) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, nowMs)
    return true
  }
}
