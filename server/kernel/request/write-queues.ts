import { Problem } from '../errors.ts'
import { outOfPlace } from '../traces/scopes.ts'

/** How many writes of one object may wait in one process. */
const waitingMax = 1000

/**
 * Writes of one object wait for each other in the process, in the order of arrival. In the database they would wait for
 * the same lock, and each would occupy a connection meanwhile.
 */
export class WriteQueues {
  /** For each object, the number of its writes and the end of the last one. */
  readonly #queues = new Map<string, { count: number; last: Promise<unknown> }>()

  /** Runs a write of the object after those before it; a Problem (503) if too many wait. */
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
    const { last } = queue
    const turn = queue.count > 0 ? outOfPlace(() => last) : last
    queue.count += 1
    const result = turn.then(write)
    queue.last = result.catch(() => {})
    try {
      return await result
    } finally {
      queue.count -= 1
      if (queue.count === 0) this.#queues.delete(object)
    }
  }
}
