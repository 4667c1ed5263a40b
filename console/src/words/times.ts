import { words } from './words.ts'

/** The zone in which times are shown: that of the store, or that of the browser if the store has none. */
export interface TimeZone {
  readonly name: string
  readonly isOfStore: boolean
}

const own: TimeZone = { name: Intl.DateTimeFormat().resolvedOptions().timeZone, isOfStore: false }
let zone = own
const listeners = new Set<() => void>()

/** For `useSyncExternalStore`. */
export const zoneStore = {
  get: (): TimeZone => zone,
  subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}

/** Shows times in the zone of a store. One that this browser does not know counts as none. */
export function showTimesIn(name: string | undefined): void {
  const next = name && isKnown(name) ? { name, isOfStore: true } : own
  if (next.name === zone.name && next.isOfStore === zone.isOfStore) return
  zone = next
  for (const listener of listeners) listener()
}

function isKnown(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timeZone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${words.language} ${timeZone} ${JSON.stringify(options)}`
  const format = formats.get(key) ?? new Intl.DateTimeFormat(words.language, { ...options, timeZone })
  formats.set(key, format)
  return format
}

/** A time of the API for people, in the zone. */
export const timeText = (iso: string, { name } = zone): string =>
  textOf(iso, name, { dateStyle: 'medium', timeStyle: 'short' })

/** A time to the second, with its zone. */
export const exactTimeText = (iso: string, { name } = zone): string =>
  textOf(iso, name, { dateStyle: 'full', timeStyle: 'long' })

function textOf(iso: string, timeZone: string, options: Intl.DateTimeFormatOptions): string {
  const time = new Date(iso)
  return Number.isNaN(time.getTime()) ? iso : formatOf(timeZone, options).format(time)
}
