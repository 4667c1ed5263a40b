const firstWaitMs = 100
const longestWaitMs = 30_000
/** A process that has served for so long has started well. */
const steadyMs = 60_000
export const triesMax = 10

/** Says when a process that ends again and again is started again. */
export class Tries {
  #inARow = 0

  /** How long to wait before the next try; undefined if there have been enough. */
  waitAfter(servedMs: number): number | undefined {
    if (servedMs >= steadyMs) this.#inARow = 0
    this.#inARow += 1
    if (this.#inARow > triesMax) return undefined
    return Math.min(firstWaitMs * 2 ** (this.#inARow - 1), longestWaitMs)
  }
}
