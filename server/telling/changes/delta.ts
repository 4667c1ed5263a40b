import { isDeepStrictEqual } from 'node:util'

export type DeltaValues = Readonly<Record<string, unknown>>

/** The fields that a change gave other values, with null for a removed field. */
export function deltaOf(
  before: DeltaValues | null | undefined,
  after: DeltaValues | null | undefined,
): DeltaValues {
  if (!after) return {}
  const earlier = before ?? {}
  const names = [...new Set([...Object.keys(earlier), ...Object.keys(after)])]
  const changed = names.filter((name) => !isDeepStrictEqual(earlier[name], after[name]))
  return Object.fromEntries(changed.map((name) => [name, after[name] ?? null]))
}
