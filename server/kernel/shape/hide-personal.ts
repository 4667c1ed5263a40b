import type { Field, Fields } from './fields.ts'
import { ownValue } from './values.ts'

const mark = '**'

/** A text that a person has written. An empty one stays, as it says nothing. */
export const hideText = <T extends string | undefined>(text: T): T => (text ? (mark as T) : text)

/** Whether it stands for a text that was hidden. */
export const isHidden = (text: string): boolean => text === mark

/**
 * The changes that hide the personal values of an object: each text becomes a mark. A value with keys of its own is
 * removed, because the person may have chosen those too.
 */
export function hidePersonal(fields: Fields, values: object): Readonly<Record<string, unknown>> {
  const personal = Object.entries(fields).filter(
    ([name, { options }]) => options.personal && ownValue(values as Fields, name) !== undefined,
  )
  return Object.fromEntries(
    personal.map(([name, field]) => [name, hide(field, ownValue(values as Record<string, unknown>, name))]),
  )
}

function hide({ members }: Field, value: unknown): unknown {
  if (typeof value === 'string') return hideText(value)
  if (!members || typeof value !== 'object' || value === null) return undefined
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      const member = ownValue(members, name)
      return [name, member && hide(member, one)]
    }),
  )
}
