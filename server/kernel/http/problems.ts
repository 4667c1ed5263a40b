import { Unavailable } from '../../platform/faults.ts'
import { Problem } from '../errors.ts'
import type { Answer } from '../shape/answer.ts'
import { bodyBytesMax } from './reading/body-limits.ts'

/** A refusal as an error object of the public contract, whose `status` is a string. */
const errorOf = ({ code, status, title, detail, source, meta }: Problem) => ({
  title,
  status: String(status),
  ...(detail && { detail }),
  code,
  ...(source && { source }),
  ...(meta && { meta }),
})

/** The response for a refusal, with all of its faults. */
export function problemAnswer(problem: Problem, requestId: string): Answer & { readonly body: string } {
  const { status, headers } = problem
  const id = status >= 500 ? { request_id: requestId } : {}
  const errors = problem.all.map((fault) => ({ ...errorOf(fault), ...id }))
  return { status, body: JSON.stringify({ errors }), headers }
}

/** Adds `errors` to a response with `data`: the refused parts of a request whose other parts succeeded. */
export function withErrors(answer: Answer, refused: readonly Problem[]): Answer {
  if (!refused.length) return answer
  const errors = JSON.stringify(refused.map(errorOf))
  return { ...answer, body: `${(answer.body as string).slice(0, -1)},"errors":${errors}}` }
}

const mebibyte = 1024 * 1024

export const bytesShown = (bytes: number): string =>
  bytes % mebibyte === 0 ? `${bytes / mebibyte} MiB` : `${bytes.toLocaleString('en-US')} bytes`

export const tooLarge = (bytesMax: number, cause?: unknown): Problem => tooLong(bytesShown(bytesMax), cause)

/** For a form with a file: the file itself must be smaller than this. */
export const formTooLarge = (bytesMax: number): Problem =>
  tooLong(`${bytesShown(bytesMax)}, including the multipart envelope`)

const tooLong = (limit: string, cause?: unknown): Problem =>
  new Problem('too_large', `The request body is too large; it must have at most ${limit}.`, { cause })

/** Converts any thrown error to a Problem. An unexpected one becomes a 500 that reveals nothing. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof Unavailable) return new Problem('unavailable', error.message, { cause: error.cause })
  const { statusCode, code, message } = error as { statusCode?: number; code?: string; message?: string }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' || statusCode === 413) {
    return tooLarge(bodyBytesMax, error)
  }
  if (code === 'FST_ERR_BAD_URL')
    return new Problem('bad_request', 'The path must be valid percent-encoded UTF-8.', { cause: error })
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new Problem('unsupported_media_type', 'The Content-Type must be application/json.', {
      cause: error,
    })
  }
  // The client hung up in the middle of its request, so there is no one to respond to.
  if (code === 'ECONNRESET' && statusCode === 400) {
    return new Problem('bad_request', 'The request ended before its body was complete.', { cause: error })
  }
  // What Fastify itself refuses (a wrong length, an unreadable header) is a fault of the client.
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500 && code?.startsWith('FST_')) {
    return new Problem('bad_request', message, { cause: error })
  }
  return new Problem('internal', 'There was an internal server error; report it with the request id.', {
    cause: error,
  })
}
