import { Problem } from '../../errors.ts'
import { tooLarge } from '../problems.ts'
import { type BodyLimits, usualLimits } from './body-limits.ts'
import { scanJson, unstorable } from './json-text.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The text of a body; '' if there is none. */
export function bodyText(bytes: Uint8Array | undefined, { bytesMax }: BodyLimits): string {
  if (bytes && bytes.length > bytesMax) throw tooLarge(bytesMax)
  try {
    return utf8.decode(bytes)
  } catch (error) {
    throw new Problem('bad_request', 'The body is not well-formed UTF-8.', { cause: error })
  }
}

/**
 * The JSON of a body; undefined if there is none. Refuses what cannot be stored as it was sent, in one place for all
 * operations.
 */
export function parseBody(
  text: string,
  contentType: string | undefined,
  { valuesMax }: BodyLimits = usualLimits,
): unknown {
  if (text.trim() === '') return undefined
  mustBeJson(text, contentType)
  const { values, fault } = scanJson(text)
  if (valuesMax !== undefined && values > valuesMax)
    throw new Problem(
      'too_large',
      `The request body is too large; it must have at most ${valuesMax.toLocaleString('en-US')} values.`,
    )
  const value = parseJson(text)
  if (fault) throw fault
  return value
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Problem('malformed_json', `The body is not valid JSON: ${(error as Error).message}`)
  }
}

/** Refuses a body of another type. */
function mustBeJson(text: string, contentType: string | undefined): void {
  if (/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType ?? '')) return
  // The types that curl and browsers give to any text. A page of another site can send them without asking, but it
  // cannot send a token, and no operation reads a cookie.
  const isLabelledAsAny = /^(?:application\/x-www-form-urlencoded|text\/plain)\s*(?:;|$)/i.test(
    contentType ?? '',
  )
  if (isLabelledAsAny && /^\s*[{[]/.test(text)) return
  throw new Problem(
    'unsupported_media_type',
    contentType === undefined
      ? 'The Content-Type header is required: send application/json.'
      : `The Content-Type must be application/json, not ${contentType}.`,
  )
}

/** Whether PostgreSQL can store a text: it has no NUL character and no half of a surrogate pair. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** Refuses what PostgreSQL cannot store. */
export function refuseText(text: string, path: string): void {
  if (!isStorable(text)) throw unstorable(path)
}
