import { type Answer, json, redirect } from '../kernel/http/answer.ts'
import { named } from '../kernel/openapi/named-schemas.ts'
import type { JsonSchema } from '../kernel/shape/fields.ts'

// RFC 6749 §4.1.2.1 and OpenID Connect Core §3.1.2.6.
const errors = [
  'invalid_request',
  'unauthorized_client',
  'access_denied',
  'unsupported_response_type',
  'invalid_scope',
  'server_error',
  'temporarily_unavailable',
  'interaction_required',
  'login_required',
  'account_selection_required',
  'consent_required',
] as const

type SignInError = (typeof errors)[number]

/** Whether a provider's word for a refusal is one that a storefront knows. */
export const isSignInError = (error: string): error is SignInError =>
  (errors as readonly string[]).includes(error)

/** A sign-in that cannot go on. The storefront is told; `cause` is for the log only. */
export class SignInRefusal extends Error {
  readonly error: SignInError

  constructor(error: SignInError, description: string, cause?: unknown) {
    super(description, { cause })
    this.name = 'SignInRefusal'
    this.error = error
  }
}

/** Where the browser goes back to, and what it must bring. */
export interface Storefront {
  readonly redirectUri: string
  readonly state: string | undefined
}

// Addresses on the way hold codes: no cache may keep them, no page may hand them on.
const guarded = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }

export const goTo = (status: 303 | 307, location: string): Answer => {
  const answer = redirect(status, location)
  return { ...answer, headers: { ...answer.headers, ...guarded } }
}

/** Sends the browser back to the storefront. The address is kept to the letter, its own query included. */
export function backTo({ redirectUri, state }: Storefront, members: Record<string, string>): Answer {
  const query = new URLSearchParams({ ...members, ...(state !== undefined && { state }) })
  const joint = !redirectUri.includes('?') ? '?' : /[?&]$/.test(redirectUri) ? '' : '&'
  return goTo(307, `${redirectUri}${joint}${query}`)
}

export const refuseAt = (storefront: Storefront, { error, message }: SignInRefusal): Answer =>
  backTo(storefront, { error, error_description: message })

/** For the API document: what `refuseHere` answers, or a Problem. */
export const refusalHere: JsonSchema = {
  anyOf: [
    { $ref: '#/components/schemas/Problems' },
    named('SignInError', {
      type: 'object',
      required: ['error', 'errorDescription', 'error_description'],
      properties: {
        error: { const: 'invalid_request' },
        errorDescription: { type: 'string' },
        error_description: { type: 'string' },
      },
    }),
  ],
}

/** For when it is not known that the address to go back to is the storefront's. Both spellings are documented. */
export const refuseHere = (description: string): Answer => ({
  ...json(400, { error: 'invalid_request', errorDescription: description, error_description: description }),
  headers: guarded,
})
