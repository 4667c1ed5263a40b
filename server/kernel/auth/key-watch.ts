/** Another process may delete a key. Half of the second within which all of its responses end. */
const lookEveryMs = 500

interface WatchedKey {
  readonly deleted: AbortController
  readonly timer: NodeJS.Timeout
  watchers: number
}

/** A watch of one response. */
export interface Watch {
  /** Aborts when the key is deleted. */
  readonly signal: AbortSignal
  /** Ends the watch. Call it once. */
  leave(): void
}

/** Watches the keys of responses that last: each key is looked up in its interval, however many responses it has. */
export class KeyWatch {
  readonly #isKeyActive: (storeId: string, keyId: string) => Promise<boolean>
  readonly #reason: () => Error
  readonly #keys = new Map<string, WatchedKey>()

  constructor(isKeyActive: (storeId: string, keyId: string) => Promise<boolean>, reason: () => Error) {
    this.#isKeyActive = isKeyActive
    this.#reason = reason
  }

  watch(storeId: string, keyId: string): Watch {
    const key = this.#keys.get(keyId) ?? this.#begin(storeId, keyId)
    key.watchers += 1
    const leave = () => {
      key.watchers -= 1
      if (key.watchers === 0) this.#forget(keyId, key)
    }
    return { signal: key.deleted.signal, leave }
  }

  /** Ends the responses of a key. */
  end(keyId: string): void {
    const key = this.#keys.get(keyId)
    if (!key) return
    this.#forget(keyId, key)
    key.deleted.abort(this.#reason())
  }

  #begin(storeId: string, keyId: string): WatchedKey {
    let isLooking = false
    const look = async () => {
      if (isLooking) return
      isLooking = true
      // A database that is away says nothing about the key.
      const isActive = await this.#isKeyActive(storeId, keyId).catch(() => true)
      isLooking = false
      if (!isActive) this.end(keyId)
    }
    const timer = setInterval(look, lookEveryMs).unref()
    const key = { deleted: new AbortController(), timer, watchers: 0 }
    this.#keys.set(keyId, key)
    return key
  }

  #forget(keyId: string, key: WatchedKey): void {
    clearInterval(key.timer)
    if (this.#keys.get(keyId) === key) this.#keys.delete(keyId)
  }
}
