import { sessionStore } from './session.ts'

/** What somebody has chosen for the look of the console is kept in this browser, for each person or key. */
const keyOf = (name: string) => `sutler.${sessionStore.get().session?.name ?? ''}.${name}`

export const keptPreference = (name: string): string | undefined =>
  localStorage.getItem(keyOf(name)) ?? undefined

export function keepPreference(name: string, value: string | undefined): void {
  if (value === undefined) localStorage.removeItem(keyOf(name))
  else localStorage.setItem(keyOf(name), value)
}
