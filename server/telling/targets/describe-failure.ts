import { failedResult, type Result } from './message.ts'

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
  ETIMEDOUT: 'The host did not answer.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the host was issued for another host.',
  EPROTO: 'The host does not speak TLS, or no version of it that the server accepts.',
  CERT_HAS_EXPIRED: 'The certificate of the host has expired.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The host has a self-signed certificate.',
  SELF_SIGNED_CERT_IN_CHAIN:
    'The certificate of the host was issued by an authority that the server does not trust.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'The certificate of the host was issued by an authority that the server does not trust.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'The certificate chain of the host is incomplete, or the server does not trust its authority.',
  ERR_INVALID_CHAR: 'The secret key has characters that a header cannot have.',
}

/** A failure without a response, in the words of the log that merchants read. */
export function failureOf(error: unknown, timeoutMs: number): Result {
  const { name, code = '', message, syscall } = error as NodeJS.ErrnoException
  if (name === 'TimeoutError')
    return failedResult(`There was no response within ${timeoutMs / 1000} seconds.`, { isSlow: true })
  if (details[code]) return failedResult(details[code])
  // The message of the system has the address.
  if (syscall !== undefined || !message) return failedResult(`The connection failed${code && ` (${code})`}.`)
  return failedResult(message)
}

/** Text that the database can store. */
export const readableText = (bytes: Uint8Array): string =>
  new TextDecoder().decode(bytes).replaceAll('\0', '\uFFFD')
