import { hash, randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'
import { systemClock } from './clock.ts'

/** A new id: UUIDv7 (RFC 9562), so ids sort by creation and a walk by id ends with the newest objects. */
export function newId(): string {
  const now = systemClock.now().getTime()
  if (now > last.msecs) last = { msecs: now, seq: randomBytes().readUInt32BE() >>> 1 }
  else if (last.seq < seqMax) last = { msecs: last.msecs, seq: last.seq + 1 }
  else last = { msecs: last.msecs + 1, seq: 0 }
  return v7({ ...last, random: randomBytes() })
}

/** Of ids with equal times, or after the clock was set back. */
let last = { msecs: 0, seq: 0 }
const seqMax = 0xffff_ffff

const idBytes = 16
const pool = Buffer.alloc(256 * idBytes)
let taken = pool.length

/** New random bytes for an id. To ask for those of one id takes as long as for those of many. */
function randomBytes(): Buffer {
  if (taken === pool.length) {
    randomFillSync(pool)
    taken = 0
  }
  taken += idBytes
  return pool.subarray(taken - idBytes, taken)
}

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
