/** How much of the usual time the latest request counts for: less in an overload, where even one alone is slow. */
const latestShares = { calm: 0.1, overloaded: 0.03 }

/** A request counts as at most this many times slower than usual: one that hung says nothing about the others. */
const slowdownMax = 4

/** How long the requests of each operation take while no other is at work. */
export class UsualTimes {
  readonly #usualMs = new Map<string, number>()
  #slowdowns = 0
  #known = 0
  #all = 0

  /** A request has taken this long, while no other was at work. */
  learn(operation: string, ms: number, state: keyof typeof latestShares): void {
    const known = this.#usualMs.get(operation) ?? ms
    this.#usualMs.set(operation, known + latestShares[state] * (ms - known))
  }

  /** A request has taken this long, whatever was at work. */
  add(operation: string, ms: number): void {
    this.#all += 1
    const usualMs = this.#usualMs.get(operation)
    if (usualMs === undefined) return
    this.#slowdowns += Math.min(slowdownMax, ms / usualMs)
    this.#known += 1
  }

  /** How many were added since it was last asked for their slowdown. */
  get count(): number {
    return this.#all
  }

  /** How many times slower than usual those were; undefined where nothing usual is known of them. */
  takeSlowdown(): number | undefined {
    const slowdown = this.#known ? this.#slowdowns / this.#known : undefined
    this.#slowdowns = this.#known = this.#all = 0
    return slowdown
  }
}
