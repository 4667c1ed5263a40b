import { dayPattern } from '../body/days.ts'

/** A copy of a part of a document that gives the pattern of `day`, a format of our own that no reader knows. */
export function withDayPatterns<T>(part: T): T {
  if (typeof part !== 'object' || part === null) return part
  if (Array.isArray(part)) return part.map(withDayPatterns) as T
  const members = Object.entries(part).map(([name, member]) => [name, withDayPatterns(member)])
  const pattern = 'format' in part && part.format === 'day' ? { pattern: dayPattern } : {}
  return { ...pattern, ...Object.fromEntries(members) }
}
