import { Problem } from '../../kernel/errors.ts'
import { gauge } from '../../kernel/metrics/metrics.ts'
import type { Instance } from '../../kernel/work/context.ts'
import { perInstance } from '../../kernel/work/per-instance.ts'

const waitingMax = 1000
const waitingOfStoreMax = 100

/** How many requests of each store wait for changes. It has a store only while one waits. */
class WaitingRequests {
  readonly #byStore = new Map<string, number>()
  #all = 0

  join(storeId: string): void {
    const own = this.#byStore.get(storeId) ?? 0
    if (own >= waitingOfStoreMax || this.#all >= waitingMax) {
      const whose =
        own >= waitingOfStoreMax ? `of this store (at most ${waitingOfStoreMax})` : `(at most ${waitingMax})`
      throw new Problem('rate_limited', `Too many requests ${whose} wait for changes; try again later.`, {
        headers: { 'retry-after': '5' },
      })
    }
    this.#byStore.set(storeId, own + 1)
    this.#all += 1
  }

  leave(storeId: string): void {
    const left = (this.#byStore.get(storeId) ?? 1) - 1
    if (left > 0) this.#byStore.set(storeId, left)
    else this.#byStore.delete(storeId)
    this.#all -= 1
  }
}

const waitingOf = perInstance(() => new WaitingRequests())

const readers = gauge('sutler_feed_readers', 'Requests that follow a feed: poll or stream.', ['kind'])

/** Takes a place among the requests of this process that wait for changes. Call the result once, to leave it. */
export function takePlace(instance: Instance, storeId: string, kind: 'poll' | 'stream'): () => void {
  const waiting = waitingOf(instance)
  waiting.join(storeId)
  readers.inc({ kind })
  return () => {
    readers.dec({ kind })
    waiting.leave(storeId)
  }
}
