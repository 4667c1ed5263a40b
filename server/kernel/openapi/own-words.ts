import { dayPattern } from '../body/days.ts'

/**
 * A copy of a part of a document without the words of our own schemas, which no reader knows: `checkedByRule` gives its
 * keywords, the format `day` its pattern, and `refersTo` its name in the document.
 */
export function withoutOwnWords<T>(part: T): T {
  if (typeof part !== 'object' || part === null) return part
  if (Array.isArray(part)) return part.map(withoutOwnWords) as T
  const { checkedByRule, refersTo, ...schema } = part as {
    readonly checkedByRule?: object
    readonly refersTo?: unknown
  }
  const pattern = 'format' in schema && schema.format === 'day' ? { pattern: dayPattern } : {}
  const members = Object.entries({ ...schema, ...checkedByRule })
  return {
    ...pattern,
    ...(typeof refersTo === 'string' && { 'x-sutler-refers': refersTo }),
    ...Object.fromEntries(members.map(([name, one]) => [name, withoutOwnWords(one)])),
  } as T
}
