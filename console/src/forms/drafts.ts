import type { Texts } from './body.ts'

/** What somebody has typed into a form and not saved. */
export interface Draft {
  /** Who typed it, and into which form. */
  readonly key: string
  /** The texts that differ from those at the start. */
  readonly texts: Texts
  /** The texts and the version of the object that the form began with. */
  readonly start: Texts
  readonly etag?: string | undefined
  readonly savedAt: number
}

const keptMs = 7 * 24 * 3600 * 1000

/** IndexedDB survives a browser that is killed; what `localStorage` wrote in its last seconds may not. */
const database = (): Promise<IDBDatabase> =>
  new Promise((resolve, reject) => {
    const request = indexedDB.open('sutler', 1)
    request.onupgradeneeded = () => request.result.createObjectStore('drafts', { keyPath: 'key' })
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

let opened: Promise<IDBDatabase> | undefined

/** A browser that keeps nothing, as in some private windows, has no drafts. */
async function inStore<T>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T | undefined> {
  try {
    opened ??= database()
    const transaction = (await opened).transaction('drafts', mode)
    const request = work(transaction.objectStore('drafts'))
    // At once: a page that ends before it hears of the request would take an open transaction with it.
    transaction.commit()
    return await new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(request.result)
      transaction.onabort = () => reject(transaction.error)
    })
  } catch {
    return undefined
  }
}

/** The draft of a form; those that are too old are forgotten. */
export async function readDraft(key: string, now = Date.now()): Promise<Draft | undefined> {
  const all = (await inStore<Draft[]>('readonly', (store) => store.getAll())) ?? []
  const [old, kept] = [all.filter((one) => isOld(one, now)), all.filter((one) => !isOld(one, now))]
  await Promise.all(old.map((one) => dropDraft(one.key)))
  return kept.find((one) => one.key === key)
}

const isOld = ({ savedAt }: Draft, now: number) => now - savedAt > keptMs

export const keepDraft = (draft: Draft): Promise<unknown> => inStore('readwrite', (store) => store.put(draft))

export const dropDraft = (key: string): Promise<unknown> => inStore('readwrite', (store) => store.delete(key))
