/** Makes a test from `in` or `nin` and a test of whether something is listed. */
export function membership<T>(
  operator: string | undefined,
  isListed: (one: T) => boolean,
): (one: T) => boolean {
  if (operator !== 'in' && operator !== 'nin') throw new Error(`${operator} is not in or nin`)
  const isIn = operator === 'in'
  return (one) => isListed(one) === isIn
}
