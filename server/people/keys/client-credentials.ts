import { isObject } from '../../kernel/body/input.ts'
import { Problem } from '../../kernel/errors.ts'
import { tooLarge } from '../../kernel/http/problems.ts'
import { parseJson } from '../../kernel/http/reading/body.ts'

/** Credentials are short, and anyone may send some. */
const bytesMax = 16 * 1024

const names = ['grant_type', 'client_id', 'client_secret'] as const

type ClientCredentials = Partial<Record<(typeof names)[number], string>>

/**
 * The credentials of a token request: members of the body, and of HTTP Basic (RFC 6749 §2.3.1). The body is JSON if it
 * begins like JSON, and a form otherwise: some clients label one as the other.
 */
export function readCredentials(body: string, authorization: string | undefined): ClientCredentials {
  if (Buffer.byteLength(body) > bytesMax) throw tooLarge(bytesMax)
  const inBody = body.trimStart().startsWith('{') ? ofJson(body) : ofForm(body)
  const basic = ofBasic(authorization)
  for (const name of names) {
    if (basic?.[name] === undefined || inBody[name] === undefined || basic[name] === inBody[name]) continue
    throw new Problem(
      'bad_request',
      `${name} differs in the body and in the Authorization header: send it only once.`,
      { source: name },
    )
  }
  return { ...inBody, ...basic }
}

function ofForm(body: string): ClientCredentials {
  const form = new URLSearchParams(body)
  return pick((name) => form.get(name) ?? undefined)
}

function ofJson(body: string): ClientCredentials {
  const value = parseJson(body)
  const members = isObject(value) && isObject(value.data) ? value.data : value
  if (!isObject(members)) return {}
  return pick((name) => {
    const member = Object.hasOwn(members, name) ? members[name] : undefined
    return typeof member === 'string' || typeof member === 'number' ? String(member) : undefined
  })
}

const pick = (read: (name: string) => string | undefined): ClientCredentials =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = read(name)
      return value === undefined ? [] : [[name, value]]
    }),
  )

export const isBasic = (authorization: string | undefined): boolean => /^basic\s/i.test(authorization ?? '')

/** The client id and the secret. */
function ofBasic(authorization: string | undefined): ClientCredentials | undefined {
  if (!isBasic(authorization)) return undefined
  const text = Buffer.from(authorization?.slice('basic '.length) ?? '', 'base64').toString()
  const colon = text.indexOf(':')
  if (colon < 0) {
    throw new Problem(
      'bad_request',
      'The Authorization header must be Basic with the base64 of client_id:client_secret.',
      { source: 'Authorization' },
    )
  }
  return { client_id: decode(text.slice(0, colon)), client_secret: decode(text.slice(colon + 1)) }
}

/** Some clients encode the two like values of a form, and some do not: a plus sign stays, as base64 has it. */
function decode(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
