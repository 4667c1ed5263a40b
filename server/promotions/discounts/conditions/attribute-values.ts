import { instantOf, isDay } from '../../../kernel/body/days.ts'

/** Values of template fields and custom attributes, in a form that makes equal ones equal texts. */

function toKey(type: string, value: unknown): string {
  if (type === 'integer' || type === 'float') return String(Number(value))
  if (type === 'date' && typeof value === 'string' && isDay(value)) return String(instantOf(value))
  return String(value)
}

export const toKeys = (type: string, values: readonly unknown[]): ReadonlySet<string> =>
  new Set(values.map((value) => toKey(type, value)))

/** Whether the value of a product or cart is among the keys: of a list, any of its values. */
export function isAmong(keys: ReadonlySet<string>, type: string, value: unknown): boolean {
  if (value === undefined || value === null) return false
  return Array.isArray(value) ? value.some((one) => keys.has(toKey(type, one))) : keys.has(toKey(type, value))
}
