import type { Readable, Writable } from 'node:stream'
import { promisify } from 'node:util'
import { createGunzip, gunzip } from 'node:zlib'
import { Problem } from '../../errors.ts'
import { tooLarge } from '../problems.ts'

/** Whether a body is packed with gzip. Refuses any other coding (RFC 9110 §8.4, §12.5.3). */
function isPacked(coding: string | undefined): boolean {
  const name = coding?.trim().toLowerCase() ?? ''
  if (name === '' || name === 'identity') return false
  if (name === 'gzip' || name === 'x-gzip') return true
  throw new Problem(
    'unsupported_media_type',
    `The Content-Encoding must be gzip or identity, not ${coding}. Send the body as it is, or packed once with gzip.`,
    { source: 'Content-Encoding', headers: { 'accept-encoding': 'gzip' } },
  )
}

const unzip = promisify(gunzip)

/** The bytes of a body as its sender wrote them: at most `bytesMax`, however small it arrived. */
export async function unpack(
  bytes: Uint8Array | undefined,
  coding: string | undefined,
  bytesMax: number,
): Promise<Uint8Array | undefined> {
  if (!bytes?.length || !isPacked(coding)) return bytes
  try {
    return await unzip(bytes, { maxOutputLength: bytesMax })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(bytesMax)
    throw notGzip(error)
  }
}

/**
 * Connects an upload to its reader, which counts the bytes. A function, so that a coding is refused before the server
 * asks for the body.
 */
export function unpackerOf(coding: string | undefined): (upload: Readable, reader: Writable) => void {
  if (!isPacked(coding)) return (upload, reader) => upload.pipe(reader)
  return (upload, reader) => {
    const plain = createGunzip()
    plain.once('error', (error) => reader.destroy(notGzip(error)))
    reader.once('close', () => plain.destroy())
    upload.pipe(plain).pipe(reader)
  }
}

const notGzip = (cause: unknown) =>
  new Problem('bad_request', 'The body is not valid gzip, which its Content-Encoding says.', {
    source: 'Content-Encoding',
    cause,
  })
