import { isItem } from './objects.ts'

/** A field that a change gave another value. */
export interface ChangedField {
  readonly path: string
  readonly before: unknown
  readonly after: unknown
}

/** The values that differ, by their paths, down to what is no object. */
export function changesBetween(before: unknown, after: unknown, path = ''): readonly ChangedField[] {
  const [earlier, later] = [isItem(before) ? before : undefined, isItem(after) ? after : undefined]
  const hasMembers = (earlier || isNone(before)) && (later || isNone(after)) && (earlier || later)
  if (!hasMembers) return isSame(before, after) ? [] : [{ path, before, after }]
  const names = new Set([...Object.keys(earlier ?? {}), ...Object.keys(later ?? {})])
  return [...names].flatMap((name) =>
    changesBetween(earlier?.[name], later?.[name], path ? `${path}.${name}` : name),
  )
}

const isNone = (value: unknown) => value === undefined || value === null

const isSame = (one: unknown, other: unknown) =>
  (isNone(one) && isNone(other)) || JSON.stringify(one) === JSON.stringify(other)
