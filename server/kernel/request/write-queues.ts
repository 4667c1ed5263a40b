import { Problem } from '../errors.ts'

/** How many writes of one object may wait in a process. */
const waitingMax = 1000

/**
 * Writes of one object wait for each other in the process, in the order in which they came. In the database they would
 * wait for the same lock, each with a connection that nobody else can use meanwhile.
 */
export class WriteQueues {
  /** How many writes there are of each object, and the end of the last one. */
  readonly #queues = new Map<string, { count: number; last: Promise<unknown> }>()

  /** Runs a write of the object when those before it have ended; a Problem (503) where too many wait. */
  async run<T>(object: string, write: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(object) ?? { count: 0, last: Promise.resolve() }
    if (queue.count > waitingMax) {
      throw new Problem(
        'unavailable',
        'Too many requests are waiting to write this object; try again in a second.',
        {
          headers: { 'retry-after': '1' },
        },
      )
    }
    this.#queues.set(object, queue)
    queue.count += 1
    const result = queue.last.then(write)
    queue.last = result.catch(() => {})
    try {
      return await result
    } finally {
      queue.count -= 1
      if (queue.count === 0) this.#queues.delete(object)
    }
  }
}
