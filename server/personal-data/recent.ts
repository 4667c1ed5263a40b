/**
 * Which keys were met lately. Of more than `keysMax` the oldest are forgotten before their time: two generations, of
 * which the older one goes when the younger one is full. Not a `Memory`: it is asked for every row of every list, and
 * in this form it answers in a third of the time.
 */
export class Recent {
  readonly #withinMs: number
  readonly #generationMax: number
  #young = new Map<string, number>()
  #old = new Map<string, number>()

  constructor(withinMs: number, keysMax: number) {
    this.#withinMs = withinMs
    this.#generationMax = keysMax / 2
  }

  /** Whether the key is met for the first time in `withinMs`. */
  meet(key: string, nowMs: number): boolean {
    const metMs = this.#young.get(key) ?? this.#old.get(key)
    if (metMs !== undefined && nowMs - metMs < this.#withinMs) return false
    if (this.#young.size >= this.#generationMax) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, nowMs)
    return true
  }
}
