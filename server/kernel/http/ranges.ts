import type { Part } from '../storage/blobs.ts'

/**
 * The part of a file that a Range header asks for (RFC 9110 §14); undefined where the whole is answered: without one,
 * with one that is none of bytes, and with one of several parts. `beyond`: there are no such bytes.
 */
export function rangeOf(header: string | undefined, bytes: number): Part | 'beyond' | undefined {
  const [, from, to] = /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? '') ?? []
  if (from === undefined || to === undefined || (from === '' && to === '') || bytes === 0) return undefined
  const end = bytes - 1
  if (from === '') return Number(to) === 0 ? 'beyond' : { first: Math.max(0, bytes - Number(to)), last: end }
  const [first, last] = [Number(from), to === '' ? end : Number(to)]
  if (to !== '' && last < first) return undefined
  return first > end ? 'beyond' : { first, last: Math.min(last, end) }
}
