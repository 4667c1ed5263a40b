import { Problem } from '../errors.ts'

const waitMaxMs = 10_000

/** A part of something scarce: at most so many use it at a time. The others wait in line, but not for ever. */
export class Share {
  #free: number
  readonly #line = new Set<() => void>()

  constructor(size: number) {
    this.#free = size
  }

  /** Who leaves the line early is told why: `asker`'s reason. */
  async use<T>(asker: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1
    else await this.#turn(asker)
    try {
      return await work()
    } finally {
      const [next] = this.#line
      if (next) next()
      else this.#free += 1
    }
  }

  async #turn(asker: AbortSignal): Promise<void> {
    asker.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const turn = () => {
      this.#line.delete(turn)
      resolve()
    }
    // A turn that was given is taken: it would be lost to all others.
    const leave = (reason: unknown) => {
      if (this.#line.delete(turn)) reject(reason)
    }
    const hangUp = () => leave(asker.reason)
    const patience = setTimeout(
      () => leave(new Problem('unavailable', 'Too many lists are being searched; try again in a moment.')),
      waitMaxMs,
    )
    asker.addEventListener('abort', hangUp)
    this.#line.add(turn)
    try {
      await promise
    } finally {
      clearTimeout(patience)
      asker.removeEventListener('abort', hangUp)
    }
  }
}
