import type { ByteRange } from '../blobs/blobs.ts'

const unit = 'bytes='
const digits = /^\d*$/

/**
 * The part of a file that a Range header requests (RFC 9110 §14). Undefined means the whole file: the header is
 * missing, not in bytes, or requests several parts. `beyond`: the file has no such bytes.
 */
export function rangeOf(header: string | undefined, bytes: number): ByteRange | 'beyond' | undefined {
  const [from, to] = boundsOf(header ?? '') ?? []
  if (from === undefined || to === undefined || (from === '' && to === '') || bytes === 0) return undefined
  const end = bytes - 1
  if (from === '') return Number(to) === 0 ? 'beyond' : { first: Math.max(0, bytes - Number(to)), last: end }
  const [first, last] = [Number(from), to === '' ? end : Number(to)]
  if (to !== '' && last < first) return undefined
  return first > end ? 'beyond' : { first, last: Math.min(last, end) }
}

/** The digits before and after the dash. Reads the header in one pass, since it may have 32 KB. */
function boundsOf(header: string): readonly [from: string, to: string] | undefined {
  if (header.slice(0, unit.length).toLowerCase() !== unit) return undefined
  const dash = header.indexOf('-', unit.length)
  if (dash < 0) return undefined
  const [from, to] = [header.slice(unit.length, dash).trim(), header.slice(dash + 1).trim()]
  return digits.test(from) && digits.test(to) ? [from, to] : undefined
}
