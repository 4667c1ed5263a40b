import { Problem } from '../errors.ts'
import type { Answer } from './answer.ts'

/** The answer to a refusal: the public contract's error document, `status` a string in it. */
export function problemAnswer(problem: Problem, requestId: string): Answer {
  const { code, status, title, detail, source, headers } = problem
  const error = { title, status: String(status), ...(detail && { detail }), code, ...(source && { source }) }
  const body = status >= 500 ? { errors: [{ ...error, request_id: requestId }] } : { errors: [error] }
  return { status, body: JSON.stringify(body), headers }
}

/** Anything that is thrown, as a Problem: what is not one is a bug, and says nothing of itself. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  const { statusCode, code, message } = error as { statusCode?: number; code?: string; message?: string }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' || statusCode === 413) {
    return new Problem('too_large', 'The request body is too large: at most 1 MiB.', { cause: error })
  }
  if (code === 'FST_ERR_BAD_URL')
    return new Problem('bad_request', 'The path is not well-formed.', { cause: error })
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new Problem('unsupported_media_type', 'The Content-Type is not one: send application/json.', {
      cause: error,
    })
  }
  // The client hung up in the middle of its request: no one is there to be answered.
  if (code === 'ECONNRESET' && statusCode === 400) {
    return new Problem('bad_request', 'The request ended too early.', { cause: error })
  }
  // What Fastify itself refuses (a length that does not match, an unreadable header) is the client's.
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500 && code?.startsWith('FST_')) {
    return new Problem('bad_request', message, { cause: error })
  }
  return new Problem('internal', 'There was an internal server error; report it with the request id.', {
    cause: error,
  })
}
