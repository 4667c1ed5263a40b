import { hash } from 'node:crypto'
import { v7 } from 'uuid'

/** A new id: UUIDv7 (RFC 9562), so ids sort by creation and a walk by id ends with the newest objects. */
export const newId = (): string => v7()

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Any version of UUID: objects that were copied from another server keep their ids. */
export const isId = (text: string): boolean => uuid.test(text)

/** Ids are compared as text, as PostgreSQL writes them: in lower case. A name that is not an id stays as it is. */
export const foldId = (name: string): string => (isId(name) ? name.toLowerCase() : name)

/** The longest id that clients may choose where they choose ids that are not UUIDs. */
export const chosenIdMax = 255

/**
 * An id derived from a text, always the same one: a UUIDv8 (RFC 9562) that is the beginning of a hash.
 */
export function idFrom(text: string): string {
  const hex = hash('sha256', text)
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) % 4)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}
