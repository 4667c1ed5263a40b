import { Problem, together } from '../errors.ts'

/** The maximum number of faults in one response. */
export const faultsMax = 20

/** Collects the faults of several checks, so that a client sees all of them at once. */
export class Faults {
  readonly #list: Problem[] = []

  /** Runs a check that throws a Problem for a fault. Returns its result, or undefined for a fault. */
  check<T>(run: () => T): T | undefined {
    try {
      return run()
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault
      this.#list.push(...fault.all)
      return undefined
    }
  }

  /** Whether the response would list no further faults. */
  get isFull(): boolean {
    return this.#list.length >= faultsMax
  }

  get any(): boolean {
    return this.#list.length > 0
  }

  /** Throws the first faults together, if there are any. */
  refuse(): void {
    if (this.#list.length) throw together(this.#list.slice(0, faultsMax))
  }
}
