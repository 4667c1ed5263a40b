import { Problem } from '../errors.ts'

/** For bodies that are read whole; uploads have limits of their own. */
export const bodyBytesMax = 1024 * 1024

/** Deeper JSON is never real data, and could exhaust the stack of a recursive function. */
const depthMax = 64

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The text of a body; '' if there is none. */
export function bodyText(bytes: Uint8Array | undefined): string {
  try {
    return utf8.decode(bytes)
  } catch (error) {
    throw new Problem('bad_request', 'The body is not well-formed UTF-8.', { cause: error })
  }
}

/**
 * The JSON of a body; undefined if there is none. Refuses what PostgreSQL cannot store, in one place for all
 * operations.
 */
export function parseBody(text: string, contentType: string | undefined): unknown {
  if (text.trim() === '') return undefined
  if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType ?? '')) {
    throw new Problem(
      'unsupported_media_type',
      contentType === undefined
        ? 'The Content-Type header is required: send application/json.'
        : `The Content-Type must be application/json, not ${contentType}.`,
    )
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Problem('malformed_json', `The body is not valid JSON: ${(error as Error).message}`)
  }
  // Only an escape, a surrogate or many brackets can be a fault. Most bodies have none, and need no walk.
  if (/\\u(?:0000|d[89a-f])/i.test(text) || text.split(/[[{]/, depthMax + 2).length > depthMax)
    refuseUnstorable(value)
  return value
}

function refuseUnstorable(root: unknown): void {
  const rest: [value: unknown, path: string, depth: number][] = [[root, '', 0]]
  for (let next = rest.pop(); next; next = rest.pop()) {
    const [value, path, depth] = next
    if (typeof value === 'string') refuseText(value, path)
    if (typeof value !== 'object' || value === null) continue
    if (depth >= depthMax) {
      throw new Problem('bad_request', `The body must not be nested deeper than ${depthMax} levels.`, {
        source: path,
      })
    }
    for (const [name, member] of Object.entries(value)) {
      refuseText(name, path)
      rest.push([member, path ? `${path}.${name}` : name, depth + 1])
    }
  }
}

/** Whether PostgreSQL can store a text: it has no NUL character and no half of a surrogate pair. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** Refuses what PostgreSQL cannot store. */
export function refuseText(text: string, path: string): void {
  if (isStorable(text)) return
  const detail = `${path || 'The body'} must not contain a NUL character or an unpaired surrogate.`
  throw new Problem('invalid_field', detail, { source: path })
}
