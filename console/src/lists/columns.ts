import type { FieldFacts } from '../api/document.ts'
import { type Item, isItem, valueAt } from '../api/objects.ts'
import { keepPreference, keptPreference } from '../api/preferences.ts'

/** The values that name an object, the best first. */
const names = ['name', 'title', 'sku', 'email', 'slug', 'code', 'label', 'file_name', 'key', 'event']

const lastName = (path: string) => path.slice(path.lastIndexOf('.') + 1)

/** How tellingly a field names its object: lower is better. */
function rank({ path }: FieldFacts): number {
  const depth = path.split('.').filter((name) => name !== 'attributes').length - 1
  const at = names.indexOf(lastName(path))
  return (at < 0 ? names.length : at) + depth * names.length
}

/** The field that names the objects of a list; their id if none does. */
export function namingField(shown: readonly FieldFacts[]): string {
  const texts = shown.filter(({ kind, path }) => kind === 'text' && !path.startsWith('relationships.'))
  const [best] = texts.toSorted((one, other) => rank(one) - rank(other))
  return best && names.includes(lastName(best.path)) ? best.path : 'id'
}

/** What an object is called. */
export function nameOf(item: Item, shown: readonly FieldFacts[]): string {
  const value = valueAt(item, namingField(shown)) ?? item.id
  return typeof value === 'string' && value !== '' ? value : String(item.id ?? '')
}

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
