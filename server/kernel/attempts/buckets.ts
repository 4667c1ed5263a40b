/**
 * A token bucket holds the units of one second, and is one number: the time at which it is full again. A request is let
 * in while something is left. Its weight may take more than that: the next requests wait until the debt is paid. So no
 * weight is too large for a small rate, and a rate that changes needs no new bucket.
 */
const windowMs = 1000

/** How many times a request may weigh as much as the lightest. */
export const weightMax = 20

/** The bucket of a caller that is not known. */
export const fullBucket = Number.NEGATIVE_INFINITY

/** Sums of fractions are a little off: nine ninths must not leave anything. */
const roundingMs = 1e-6

export const isOpen = (fullAtMs: number, nowMs: number): boolean => fullAtMs - nowMs < windowMs - roundingMs

/** The units that are left; below zero, the debt. */
export const unitsLeft = (fullAtMs: number, rate: number, nowMs: number): number =>
  (rate * (windowMs - Math.max(0, fullAtMs - nowMs))) / 1000

/** Timers may be early by a millisecond, and clocks cut off what is less. */
const earlyMs = 3

/** The whole seconds after which the bucket is open, if nobody else takes from it. */
export const secondsUntilOpen = (fullAtMs: number, nowMs: number): number =>
  isOpen(fullAtMs, nowMs) ? 0 : Math.floor((fullAtMs - nowMs - windowMs + earlyMs) / 1000) + 1

export const secondsUntilFull = (fullAtMs: number, nowMs: number): number =>
  Math.ceil(Math.max(0, fullAtMs - nowMs) / 1000)

/**
 * The bucket, with a debt of at most a second and the heaviest request. A key that uses what is reserved for it takes
 * from a bucket that is empty, and the clock may be put back: others must not wait for long after that.
 */
export const bounded = (fullAtMs: number, rate: number, nowMs: number): number =>
  Math.min(fullAtMs, nowMs + 2 * windowMs + (weightMax / rate) * 1000)

/** The bucket after a request. */
export const take = (fullAtMs: number, weight: number, rate: number, nowMs: number): number =>
  Math.max(fullAtMs, nowMs) + (weight / rate) * 1000

/**
 * Buckets by name. A bucket that is full again is forgotten: whenever one is added, two others are looked at. So there
 * are at most twice as many as are in use, and never more than `max`.
 */
export class Buckets {
  readonly #max: number
  readonly #fullAtMs = new Map<string, number>()
  #sweep: Iterator<[string, number]>

  constructor(max: number) {
    this.#max = max
    this.#sweep = this.#fullAtMs.entries()
  }

  get size(): number {
    return this.#fullAtMs.size
  }

  get(name: string): number {
    return this.#fullAtMs.get(name) ?? fullBucket
  }

  set(name: string, fullAtMs: number, nowMs: number): void {
    if (!this.#fullAtMs.has(name)) {
      this.#look(nowMs)
      this.#look(nowMs)
    }
    this.#fullAtMs.set(name, fullAtMs)
  }

  /** Looks at the next bucket, in turn. */
  #look(nowMs: number): void {
    const next = this.#sweep.next()
    if (next.done) {
      this.#sweep = this.#fullAtMs.entries()
      return
    }
    const [name, fullAtMs] = next.value
    if (fullAtMs <= nowMs || this.#fullAtMs.size >= this.#max) this.#fullAtMs.delete(name)
  }
}
