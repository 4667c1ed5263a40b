import { Problem } from '../../errors.ts'

const waitMaxMs = 10_000

/** A limited resource: up to a fixed number use it at a time. The others wait in line, for a limited time. */
export class Share {
  #free: number
  readonly #line = new Set<() => void>()

  constructor(size: number) {
    this.#free = size
  }

  /** If `signal` aborts while it waits, the promise rejects with its reason. */
  async use<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1
    else await this.#turn(signal)
    try {
      return await work()
    } finally {
      const [next] = this.#line
      if (next) next()
      else this.#free += 1
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const turn = () => {
      this.#line.delete(turn)
      resolve()
    }
    // Once a turn is granted it must be used: it would be lost for everyone else.
    const leave = (reason: unknown) => {
      if (this.#line.delete(turn)) reject(reason)
    }
    const hangUp = () => leave(signal.reason)
    const patience = setTimeout(
      () => leave(new Problem('unavailable', 'Too many lists are being searched; try again in a moment.')),
      waitMaxMs,
    )
    signal.addEventListener('abort', hangUp)
    this.#line.add(turn)
    try {
      await promise
    } finally {
      clearTimeout(patience)
      signal.removeEventListener('abort', hangUp)
    }
  }
}
