import { Problem, together } from '../errors.ts'

/** How many faults of a request one refusal lists. */
export const faultsMax = 20

/** Collects the faults of several checks, so that a client reads all of them at once. */
export class Faults {
  readonly #found: Problem[] = []

  /** Runs a check that throws a Problem where it finds a fault. What it returns; undefined where it finds one. */
  check<T>(run: () => T): T | undefined {
    try {
      return run()
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault
      this.#found.push(...fault.all)
      return undefined
    }
  }

  /** Whether a refusal would list no further faults. */
  get isFull(): boolean {
    return this.#found.length >= faultsMax
  }

  get any(): boolean {
    return this.#found.length > 0
  }

  /** Throws the first faults together, if there are any. */
  refuse(): void {
    if (this.#found.length) throw together(this.#found.slice(0, faultsMax))
  }
}
