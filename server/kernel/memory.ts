import type { Clock } from './clock.ts'

/** An entry, linked to the entries that were used before and after it. */
interface Entry<K, V> {
  readonly key: K
  readonly value: V
  readonly size: number
  readonly setAtMs: number
  older: Entry<K, V> | undefined
  newer: Entry<K, V> | undefined
}

interface MemoryOptions<K, V> {
  /** How long an entry is valid after it was set. */
  readonly age?: { readonly maxMs: number; readonly clock: Clock }
  /** Called with each entry that is evicted for lack of space. */
  readonly onForgotten?: (key: K, value: V) => void
  /** What an entry counts for. Default: 1. */
  readonly sizeOf?: (key: K, value: V) => number
}

/** A cache of at most `sizeMax` entries, or of entries of this size. The least recently used entry is evicted first. */
export class Memory<K, V> {
  readonly #sizeMax: number
  readonly #age: MemoryOptions<K, V>['age']
  readonly #onForgotten: MemoryOptions<K, V>['onForgotten']
  readonly #sizeOf: (key: K, value: V) => number
  #size = 0
  // Not only the order of a Map: finding its first key passes over all keys that were deleted before it.
  readonly #entries = new Map<K, Entry<K, V>>()
  #oldest: Entry<K, V> | undefined
  #newest: Entry<K, V> | undefined

  constructor(sizeMax: number, options: MemoryOptions<K, V> = {}) {
    this.#sizeMax = sizeMax
    this.#age = options.age
    this.#onForgotten = options.onForgotten
    this.#sizeOf = options.sizeOf ?? (() => 1)
  }

  get size(): number {
    return this.#entries.size
  }

  /** The value, unless it was evicted or is too old. */
  get(key: K): V | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    if (this.#age && this.#nowMs() - entry.setAtMs >= this.#age.maxMs) {
      this.#remove(entry)
      return undefined
    }
    this.#use(entry)
    return entry.value
  }

  set(key: K, value: V): void {
    this.delete(key)
    const size = this.#sizeOf(key, value)
    if (size > this.#sizeMax) return
    while (this.#size + size > this.#sizeMax && this.#oldest) {
      const forgotten = this.#oldest
      this.#remove(forgotten)
      this.#onForgotten?.(forgotten.key, forgotten.value)
    }
    const entry = { key, value, size, setAtMs: this.#nowMs(), older: undefined, newer: undefined }
    this.#entries.set(key, entry)
    this.#size += size
    this.#append(entry)
  }

  delete(key: K): void {
    const entry = this.#entries.get(key)
    if (entry) this.#remove(entry)
  }

  #nowMs(): number {
    return this.#age ? this.#age.clock.now().getTime() : 0
  }

  #use(entry: Entry<K, V>): void {
    if (entry === this.#newest) return
    this.#unlink(entry)
    this.#append(entry)
  }

  #remove(entry: Entry<K, V>): void {
    this.#entries.delete(entry.key)
    this.#size -= entry.size
    this.#unlink(entry)
  }

  #unlink({ older, newer }: Entry<K, V>): void {
    if (older) older.newer = newer
    else this.#oldest = newer
    if (newer) newer.older = older
    else this.#newest = older
  }

  #append(entry: Entry<K, V>): void {
    entry.older = this.#newest
    entry.newer = undefined
    if (this.#newest) this.#newest.newer = entry
    else this.#oldest = entry
    this.#newest = entry
  }
}
