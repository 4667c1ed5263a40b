import { instantOf, isDay } from '../../kernel/body/days.ts'

/** Values of template fields and custom attributes, in a form that makes equal ones equal texts. */

export function toKey(type: string, value: unknown): string {
  if (type === 'integer' || type === 'float') return String(Number(value))
  if (type === 'date' && typeof value === 'string' && isDay(value)) return String(instantOf(value))
  return String(value)
}

export const toKeys = (type: string, values: readonly unknown[]): ReadonlySet<string> =>
  new Set(values.map((value) => toKey(type, value)))

/** The keys of a value that a product or cart has. A list has several, and no value has none. */
export function keysOf(type: string, value: unknown): readonly string[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value.map((one) => toKey(type, one)) : [toKey(type, value)]
}
