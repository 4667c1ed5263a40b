import { keepPreference, keptPreference } from '../api/preferences.ts'

const preference = (id: string) => `columns.${id}`

/** The columns that this person has chosen for a list. */
export const keptColumns = (id: string): readonly string[] | undefined =>
  keptPreference(preference(id))?.split(',')

/** Keeps the choice; undefined for the usual columns. */
export const keepColumns = (id: string, columns: readonly string[] | undefined): void =>
  keepPreference(preference(id), columns?.join(','))
