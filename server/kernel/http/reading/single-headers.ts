import type { IncomingMessage } from 'node:http'
import { Problem } from '../../errors.ts'

/** Of these Node uses the first. A proxy in front of the server may have used the last. */
const names = ['Host', 'Authorization', 'Content-Type'] as const

/** Refuses a request that has one of these headers twice (RFC 9110 §5.3, RFC 9112 §3.2), or none that it needs. */
export function checkHeaders({ rawHeaders, headers, httpVersion }: IncomingMessage): Problem | undefined {
  // HTTP/1.0 has no such header.
  if (headers.host === undefined && httpVersion === '1.1')
    return new Problem('bad_request', 'The Host header is required.', { source: 'Host' })
  const twice = names.find((name) => isTwice(rawHeaders, name))
  if (twice === undefined) return undefined
  return new Problem('bad_request', `The ${twice} header must be sent only once.`, { source: twice })
}

/** Compares lengths first: every request passes here, and most names have another one. */
function isTwice(rawHeaders: readonly string[], name: string): boolean {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i] as string
    if (header.length === name.length && header.toLowerCase() === name.toLowerCase()) count += 1
  }
  return count > 1
}
