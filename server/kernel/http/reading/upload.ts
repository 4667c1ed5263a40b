import type { IncomingMessage } from 'node:http'
import { type Duplex, type Readable, Transform, type TransformCallback } from 'node:stream'
import { askForBody } from '../../../platform/sockets/expect.ts'
import { Problem } from '../../errors.ts'
import { formTooLarge, tooLarge } from '../problems.ts'
import { unpackerOf } from './unpack.ts'

/** The time to send 50 MB at 700 kbit/s. */
const uploadMaxMs = 10 * 60_000

/** Connections with an upload, which have a longer time limit. */
const uploading = new WeakSet<Duplex>()

export const isUploading = (socket: Duplex): boolean => uploading.has(socket)

/**
 * The body of a request as a stream. It fails if the body is longer than `bytesMax` (413), or if the client stops in
 * the middle.
 */
export function uploadOf(request: IncomingMessage, bytesMax: number, isForm = false): Readable {
  const refusal = () => (isForm ? formTooLarge : tooLarge)(bytesMax)
  if (Number(request.headers['content-length']) > bytesMax) throw refusal()
  const connect = unpackerOf(request.headers['content-encoding'])
  askForBody(request)
  const upload = new Upload(bytesMax, refusal)
  const timer = setTimeout(() => upload.destroy(tooSlow()), uploadMaxMs).unref()
  const endedEarly = () => {
    if (!request.complete)
      upload.destroy(new Problem('bad_request', 'The request ended before its body was complete.'))
  }
  uploading.add(request.socket)
  request.once('close', endedEarly)
  upload.once('close', () => {
    clearTimeout(timer)
    uploading.delete(request.socket)
    request.off('close', endedEarly)
  })
  // Readers get the error. Without a reader, this prevents an uncaught one.
  upload.on('error', () => {})
  // `pipeline` would also destroy the connection, and with it the response.
  connect(request, upload)
  return upload
}

const tooSlow = () =>
  new Problem('request_timeout', `The request was not complete after ${uploadMaxMs / 1000} seconds.`)

class Upload extends Transform {
  readonly #bytesMax: number
  readonly #refusal: () => Problem
  #bytes = 0

  constructor(bytesMax: number, refusal: () => Problem) {
    super()
    this.#bytesMax = bytesMax
    this.#refusal = refusal
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#bytes += chunk.length
    if (this.#bytes > this.#bytesMax) done(this.#refusal())
    else done(null, chunk)
  }
}
