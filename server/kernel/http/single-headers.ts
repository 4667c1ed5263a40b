import type { IncomingMessage } from 'node:http'
import { Problem } from '../errors.ts'

/** Of these Node uses the first. A proxy in front of the server may have used the last. */
const names = ['Host', 'Authorization', 'Content-Type'] as const

/** Refuses a request that has one of these headers twice (RFC 9110 §5.3, RFC 9112 §3.2), or none that it needs. */
export function checkHeaders({ rawHeaders, headers, httpVersion }: IncomingMessage): Problem | undefined {
  // HTTP/1.0 has no such header.
  if (headers.host === undefined && httpVersion === '1.1')
    return new Problem('bad_request', 'The Host header is required.', { source: 'Host' })
  const counts = new Map<string, number>()
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? ''
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const twice = names.find((name) => (counts.get(name.toLowerCase()) ?? 0) > 1)
  if (twice === undefined) return undefined
  return new Problem('bad_request', `The ${twice} header must be sent only once.`, { source: twice })
}
