import { sessionStore } from './session.ts'

/**
 * The name under which this browser keeps something for who has signed in. The id of a colleague or a key belongs to one
 * store, so it stands for the person and the store.
 */
export const keptAs = (name: string): string => `${sessionStore.get().session?.id ?? ''} ${name}`

const keyOf = (name: string) => `sutler ${keptAs(name)}`

/** What somebody has chosen for the look of the console. */
export const keptPreference = (name: string): string | undefined =>
  localStorage.getItem(keyOf(name)) ?? undefined

export function keepPreference(name: string, value: string | undefined): void {
  if (value === undefined) localStorage.removeItem(keyOf(name))
  else localStorage.setItem(keyOf(name), value)
}
