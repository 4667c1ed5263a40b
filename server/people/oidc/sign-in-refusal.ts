import { named } from '../../kernel/openapi/named-schemas.ts'
import { type Answer, json, redirect } from '../../kernel/shape/answer.ts'
import { shown } from '../../kernel/shape/shown.ts'

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

/** Whether this error code of a provider is one that storefronts know. */
export const isSignInError = (error: string): error is SignInError =>
  (errors as readonly string[]).includes(error)

/** A failed sign-in. The storefront gets the error and its description; `cause` is only for the log. */
export class SignInRefusal extends Error {
  readonly error: SignInError

  constructor(error: SignInError, description: string, cause?: unknown) {
    super(description, { cause })
    this.name = 'SignInRefusal'
    this.error = error
  }
}

/** The redirect URI of the storefront, and the state that the redirect returns. */
export interface Storefront {
  readonly redirectUri: string
  readonly state: string | undefined
}

// These addresses contain codes: pages must not pass them on as referrer.
const safeHeaders = { 'referrer-policy': 'no-referrer' }

export const redirectTo = (status: 303 | 307, location: string): Answer => {
  const answer = redirect(status, location)
  return { ...answer, headers: { ...answer.headers, ...safeHeaders } }
}

/** Redirects the browser to the storefront. The address is not changed, including its own query. */
export function redirectBack({ redirectUri, state }: Storefront, members: Record<string, string>): Answer {
  const query = new URLSearchParams({ ...members, ...(state !== undefined && { state }) })
  const joint = !redirectUri.includes('?') ? '?' : /[?&]$/.test(redirectUri) ? '' : '&'
  return redirectTo(307, `${redirectUri}${joint}${query}`)
}

export const refuseAt = (storefront: Storefront, { error, message }: SignInRefusal): Answer =>
  redirectBack(storefront, { error, error_description: message })

const signInError = named(
  'SignInError',
  shown.group({
    error: shown.constant('invalid_request'),
    errorDescription: shown.text,
    error_description: shown.text,
  }),
)

/** For the API document: the response of `refuseHere`, or a Problem. */
export const refusalHere = shown.as({
  anyOf: [{ $ref: '#/components/schemas/Problems' }, signInError.schema],
})

/** Refuses without a redirect, because the redirect URI is not verified. Both spellings are documented. */
export const refuseHere = (description: string): Answer => ({
  ...json(400, { error: 'invalid_request', errorDescription: description, error_description: description }),
  headers: safeHeaders,
})
