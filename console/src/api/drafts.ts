import { useSyncExternalStore } from 'react'
import { keptAs } from './preferences.ts'

/** What somebody has typed into a form and not saved. */
export interface Draft {
  /** Who typed it, and into which form. */
  readonly key: string
  /** The texts that differ from those at the start. */
  readonly texts: Readonly<Record<string, string>>
  /** The texts and the version of the object that the form began with. */
  readonly start: Readonly<Record<string, string>>
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
export const readDraft = async (key: string): Promise<Draft | undefined> =>
  (await readDrafts()).find((one) => one.key === key)

async function readDrafts(now = Date.now()): Promise<readonly Draft[]> {
  const all = (await inStore<Draft[]>('readonly', (store) => store.getAll())) ?? []
  const [old, kept] = [all.filter((one) => isOld(one, now)), all.filter((one) => !isOld(one, now))]
  await Promise.all(old.map(({ key }) => inStore('readwrite', (store) => store.delete(key))))
  return kept
}

const isOld = ({ savedAt }: Draft, now: number) => now - savedAt > keptMs

export async function keepDraft(draft: Draft): Promise<void> {
  await inStore('readwrite', (store) => store.put(draft))
  // Each key writes; only a draft that is new changes what is shown of them.
  if (!drafts.some(({ key }) => key === draft.key)) await tell()
}

export async function dropDraft(key: string): Promise<void> {
  await inStore('readwrite', (store) => store.delete(key))
  if (drafts.some((one) => one.key === key)) await tell()
}

/** The drafts of everybody in this browser, as they were last read. */
let drafts: readonly Draft[] = []
const listeners = new Set<() => void>()

async function tell(): Promise<void> {
  drafts = await readDrafts()
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  // Other tabs keep drafts too.
  const onFocus = () => void tell()
  if (listeners.size === 0) onFocus()
  listeners.add(listener)
  addEventListener('focus', onFocus)
  return () => {
    listeners.delete(listener)
    removeEventListener('focus', onFocus)
  }
}

/** A draft of who has signed in, with the form that it belongs to. */
export interface OwnDraft {
  readonly draft: Draft
  /** The path of the list or of the object. */
  readonly path: string
  /** The path belongs to an action. */
  readonly isAction: boolean
}

/** The drafts of who has signed in, the newest first. */
export function useDrafts(): readonly OwnDraft[] {
  const all = useSyncExternalStore(subscribe, () => drafts)
  const person = keptAs('')
  return all
    .filter(({ key }) => key.startsWith(person))
    .toSorted((one, other) => other.savedAt - one.savedAt)
    .map((draft) => {
      const form = draft.key.slice(person.length)
      const [, method, path = form] = /^([A-Z]+) (.*)$/.exec(form) ?? []
      return { draft, path, isAction: method !== undefined }
    })
}
