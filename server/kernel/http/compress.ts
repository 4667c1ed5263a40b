import { Readable, type Transform } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import type { FastifyRequest } from 'fastify'
import { hasMore } from '../../platform/sockets/read-on.ts'
import type { Operation } from '../declare/operation.ts'
import type { Answer } from '../shape/answer.ts'
import { type Coding, codingFor } from './prefer.ts'

const { BROTLI_PARAM_QUALITY: quality, BROTLI_PARAM_LGWIN: windowBits } = constants
const [brotli, zip] = [promisify(brotliCompress), promisify(gzip)]

/** For what is compressed for one response: the least processor time, and at most a few hundred kilobytes of memory. */
const quickBrotli = { [quality]: 1, [windowBits]: 18 }
/** For what is compressed once. The best quality of all would take thirty times as long, to save a tenth. */
const thoroughBrotli = { [quality]: 9 }

const ways = {
  br: {
    once: (bytes: Uint8Array) => brotli(bytes, { params: thoroughBrotli }),
    each: (text: string | Uint8Array) => brotli(text, { params: quickBrotli }),
    // Flushed after each part: nothing of it waits for the next one.
    stream: () => createBrotliCompress({ params: quickBrotli, flush: constants.BROTLI_OPERATION_FLUSH }),
  },
  gzip: {
    once: (bytes: Uint8Array) => zip(bytes, { level: 9 }),
    each: (text: string | Uint8Array) => zip(text, { level: 1 }),
    stream: () => createGzip({ level: 1, flush: constants.Z_SYNC_FLUSH }),
  },
} as const satisfies Record<Coding, object>

/** Compresses what is sent many times. */
export const compressOnce = (bytes: Uint8Array, coding: Coding): Promise<Uint8Array> =>
  ways[coding].once(bytes)

/** A shorter response fits into two packets, and would save none. */
export const compressedCharsMin = 2048

/**
 * The answer in a coding that the client accepts, if it is large enough to gain. Files are sent as they are, since
 * clients read parts of them. Threads of zlib compress, so other requests do not wait.
 */
export function compress(
  answer: Answer,
  operation: Operation,
  { raw, headers, method }: FastifyRequest,
  charsMin: number | undefined,
): Answer | Promise<Answer> {
  const { body } = answer
  if (charsMin === undefined || !showsNoSecret(operation) || hasMore(raw)) return answer
  if (answer.status !== 200 || !isText(answer)) return answer
  if (!(body instanceof Readable) && body.length < charsMin) return answer
  const coding = codingFor(headers['accept-encoding'])
  if (coding === undefined) return answer
  const { 'content-length': _, ...others } = answer.headers ?? {}
  const type = 'application/json; charset=utf-8'
  const coded = { ...answer, headers: { 'content-type': type, ...others, 'content-encoding': coding } }
  if (!(body instanceof Readable)) return ways[coding].each(body).then((bytes) => ({ ...coded, body: bytes }))
  // The stream of a HEAD is never read.
  return method === 'HEAD' ? coded : { ...coded, body: through(body, ways[coding].stream()) }
}

/**
 * Whoever makes others send a text beside a secret could guess the secret by the length of the compressed response.
 * Secrets and tokens are only in the responses of writes, and of operations that need no token.
 */
const showsNoSecret = ({ access }: Operation): boolean => access === 'read'

function isText({ body, headers = {} }: Answer): boolean {
  if (typeof body === 'string') return true
  return /^(application\/(json|x-ndjson)|text\/csv)\b/.test(headers['content-type'] ?? '')
}

/** As `pipe`, but each of the two ends when the other breaks, with its reason. */
function through(content: Readable, coder: Transform): Transform {
  content.once('error', (error) => coder.destroy(error))
  content.once('close', () => {
    if (!content.readableEnded) coder.destroy()
  })
  coder.once('close', () => content.destroy())
  return content.pipe(coder)
}
