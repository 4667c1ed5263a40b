/** Makes a test from `in` or `nin`: whether any of some values is listed. */
export function membership<T>(
  operator: string | undefined,
  listed: ReadonlySet<T>,
): (values: readonly T[]) => boolean {
  if (operator !== 'in' && operator !== 'nin') throw new Error(`${operator} is not in or nin`)
  const isIn = operator === 'in'
  return (values) => values.some((value) => listed.has(value)) === isIn
}
