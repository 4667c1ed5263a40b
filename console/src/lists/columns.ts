import type { FieldFacts } from '../api/document.ts'
import { type Item, isItem } from '../api/objects.ts'
import { keepPreference, keptPreference } from '../api/preferences.ts'
import { lastName, namingField } from '../fields/names.ts'

const usualMax = 6

/** The columns of a list that nobody has chosen: the name, what is short, and when it was changed. */
export function usualColumns(shown: readonly FieldFacts[]): readonly string[] {
  const first = namingField(shown)
  const isPlain = ({ kind, path }: FieldFacts) =>
    kind !== 'json' && path !== 'id' && !/^relationships\.|(^|\.)type$|_at$|description$/.test(path)
  const plain = shown
    .filter(isPlain)
    .map(({ path }) => path)
    .filter((path) => path !== first)
  const changed = ['updated_at', 'created_at', 'at']
    .map((name) => shown.find(({ path }) => lastName(path) === name)?.path)
    .find((path) => path !== undefined)
  return [first, ...plain.slice(0, usualMax - 2), ...(changed ? [changed] : [])]
}

/** All paths that may be a column: those of the document, and those of the rows that it does not know. */
export function possibleColumns(shown: readonly FieldFacts[], rows: readonly Item[]): readonly string[] {
  const known = shown.map(({ path }) => path)
  const [first] = rows
  const unknown = isItem(first)
    ? Object.keys(first).filter((name) => !known.some((path) => path === name || path.startsWith(`${name}.`)))
    : []
  return [...known, ...unknown.filter((name) => !['type', 'links'].includes(name))]
}

const preference = (id: string) => `columns.${id}`

/** The columns that this person has chosen for a list. */
export const keptColumns = (id: string): readonly string[] | undefined =>
  keptPreference(preference(id))?.split(',')

/** Keeps the choice; undefined for the usual columns. */
export const keepColumns = (id: string, columns: readonly string[] | undefined): void =>
  keepPreference(preference(id), columns?.join(','))

/** The field to sort a column by, if the API can. */
export const sortFieldOf = (path: string, sort: readonly string[]): string | undefined =>
  sort.find((field) => field === path || field === lastName(path))
