import { failed, type Result } from './message.ts'

const details: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before the response.',
  ENOTFOUND: 'The host has no address.',
  ENODATA: 'The host has no address.',
  EAI_AGAIN: 'The name server did not answer.',
  ETIMEOUT: 'The name server did not answer.',
  ESERVFAIL: 'The name server could not answer.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The network of the host cannot be reached.',
  HPE_HEADER_OVERFLOW: 'The headers of the response are too long.',
  ERR_INVALID_CHAR: 'The secret key has characters that a header cannot have.',
}

/** A failure without a response, in the words of the log that merchants read. */
export function failureOf(error: unknown, timeoutMs: number): Result {
  const { name, code = '', message } = error as NodeJS.ErrnoException
  if (name === 'TimeoutError')
    return failed(`There was no response within ${timeoutMs / 1000} seconds.`, { isSlow: true })
  return failed(details[code] ?? (message || code || 'The connection failed.'))
}

/** Text that the database can store. */
export const readableText = (bytes: Uint8Array): string =>
  new TextDecoder().decode(bytes).replaceAll('\0', '\uFFFD')
