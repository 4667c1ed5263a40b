import type { Answer } from '../shape/answer.ts'
import { discard } from './file.ts'

/**
 * Conditional requests (RFC 9110 §13). If-Match also compares tags weakly, against §13.1.1: our tags are weak, and
 * clients send them back as they are. See docs/decisions/0005-weak-if-match.md.
 */
export function matches(header: string, etag: string): boolean {
  if (header.trim() === '*') return true
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '').replace(/^"|"$/g, '')
  return header.split(',').some((tag) => opaque(tag) === opaque(etag))
}

/** An If-Match in which each two-part tag is reduced to its version. */
export const versionsIn = (ifMatch: string): string => ifMatch.replace(/([0-9a-f]{64})-[0-9a-f]{32}/g, '$1')

/** Replaces a response with a 304 if the client already has it. */
export function notModified(answer: Answer, ifNoneMatch: string | undefined): Answer {
  const etag = answer.headers?.etag
  if (ifNoneMatch === undefined || !etag || !matches(ifNoneMatch, etag)) return answer
  discard(answer)
  return { status: 304, body: '', headers: { etag } }
}
