import { decimal, type Exact } from '../../../prices/index.ts'
import { compare } from '../exact.ts'

/** Makes a test from `in` or `nin` and a test of whether something is listed. */
export function membership<T>(
  operator: string | undefined,
  isListed: (one: T) => boolean,
): (one: T) => boolean {
  if (operator !== 'in' && operator !== 'nin') throw new Error(`${operator} is not in or nin`)
  const isIn = operator === 'in'
  return (one) => isListed(one) === isIn
}

/** Operators that compare numbers. */
const holds: Readonly<Record<string, (order: number) => boolean>> = {
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
  eq: (order) => order === 0,
  ne: (order) => order !== 0,
}

/** Makes a test of numbers from an operator and its arguments. A range includes both ends. */
export function comparison(
  operator: string | undefined,
  args: readonly unknown[],
): (value: Exact) => boolean {
  const [first, second] = args
  if (operator === 'range') {
    const [from, to] = [toExact(first), toExact(second)]
    return (value) => compare(value, from) >= 0 && compare(value, to) <= 0
  }
  const test = holds[operator ?? '']
  if (!test) throw new Error(`${operator} is not an operator that compares`)
  const wanted = toExact(first)
  return (value) => test(compare(value, wanted))
}

export function toExact(arg: unknown): Exact {
  if (typeof arg !== 'number') throw new Error(`${String(arg)} is not a number`)
  return Number.isSafeInteger(arg) ? arg : decimal(arg)
}
