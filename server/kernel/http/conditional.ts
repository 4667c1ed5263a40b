import type { Answer } from '../shape/answer.ts'
import { discard } from './file.ts'

/**
 * Conditional requests (RFC 9110 §13). Tags are compared weakly in If-Match too, against §13.1.1: ours are weak, and
 * clients send back what they were given. See docs/decisions/weak-if-match.md.
 */
export function matches(header: string, etag: string): boolean {
  if (header.trim() === '*') return true
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '').replace(/^"|"$/g, '')
  return header.split(',').some((tag) => opaque(tag) === opaque(etag))
}

/** An If-Match with only the first part, the version, of each tag of two parts. */
export const versionsIn = (ifMatch: string): string => ifMatch.replace(/([0-9a-f]{64})-[0-9a-f]{32}/g, '$1')

/** A 304 in place of an answer that the client already has. */
export function notModified(answer: Answer, ifNoneMatch: string | undefined): Answer {
  const etag = answer.headers?.etag
  if (ifNoneMatch === undefined || !etag || !matches(ifNoneMatch, etag)) return answer
  discard(answer)
  return { status: 304, body: '', headers: { etag } }
}
