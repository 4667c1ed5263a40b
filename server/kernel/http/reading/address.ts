import type { FastifyRequest } from 'fastify'
import { Problem } from '../../errors.ts'

/** The host as the client wrote it. It becomes part of every link, so it must be valid. */
export function addressOf({ protocol, host }: FastifyRequest): string {
  const address = `${protocol}://${host}`
  if (/^https?:\/\/[\w.:[\]-]+$/.test(address)) return address
  throw new Problem('bad_request', 'The Host header must be a host name, optionally followed by a port.', {
    source: 'Host',
  })
}
