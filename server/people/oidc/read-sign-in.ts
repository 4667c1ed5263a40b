import type { Row } from '../../kernel/shape/model.ts'
import { type authenticationRealms, consoleAddress, realmClients } from '../identity/authentication-realms.ts'
import { codeChallengePattern, forwardedCharsMax, stateCharsMax } from './sign-in-query.ts'
import { SignInRefusal, type Storefront } from './sign-in-refusal.ts'

type Realm = Row<typeof authenticationRealms.fields>

/** A valid request of a storefront for a sign-in. */
export interface LoginRequest {
  readonly state: string
  readonly codeChallenge: string
  readonly reportsReplay: boolean
  /** Parameters that are passed on to the provider. */
  readonly forwarded: Readonly<Record<string, string>>
}

const forwarded = ['prompt', 'display', 'ui_locales'] as const

/** Why the browser must not be redirected to `redirect_uri`; undefined if it may be. */
export function findUnsafeReason(
  { doc }: Realm,
  parameters: URLSearchParams,
  baseUrl: string,
): string | undefined {
  const origin = doc.relationships?.origin.data.type
  if (!origin || singleValue(parameters, 'client_id') !== realmClients[origin]) {
    return 'client_id must be the client id of this realm, as the settings of the realm show it.'
  }
  const uri = singleValue(parameters, 'redirect_uri') ?? ''
  const isConsole = origin === 'merchant-realm-mappings' && uri === consoleAddress(baseUrl)
  if (!isConsole && !doc.redirect_uris.includes(uri)) {
    return 'redirect_uri must be exactly one of the redirect_uris of this realm.'
  }
  return undefined
}

/** Undefined if the parameter is repeated, which RFC 6749 §3.1 forbids. */
function singleValue(parameters: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = parameters.getAll(name)
  return more.length === 0 ? value : undefined
}

export const profileIdOf = (parameters: URLSearchParams): string =>
  parameters.get('elasticpath_commerce_cloud_profile_id') ?? ''

export const storefrontOf = (parameters: URLSearchParams): Storefront => {
  const state = singleValue(parameters, 'state')
  return {
    redirectUri: parameters.get('redirect_uri') ?? '',
    state: state !== undefined && isState(state) ? state : undefined,
  }
}

const isState = (text: string) => text.length <= stateCharsMax && /^\P{Cc}+$/u.test(text)

/** Reads the request after `redirect_uri` is checked. Throws a SignInRefusal if it is not valid. */
export function readSignIn(parameters: URLSearchParams): LoginRequest {
  const repeatedName = [...new Set(parameters.keys())].find((name) => parameters.getAll(name).length > 1)
  if (repeatedName !== undefined) throw invalid('Each parameter must be sent only once.')
  if (parameters.get('response_type') !== 'code') {
    throw new SignInRefusal('unsupported_response_type', 'response_type must be code.')
  }
  const scopes = (parameters.get('scope') ?? '').split(' ')
  if (!scopes.includes('openid') || !scopes.includes('email')) {
    throw new SignInRefusal('invalid_scope', 'scope must include openid and email.')
  }
  const state = parameters.get('state') ?? ''
  if (!isState(state)) throw invalid(`state must have 1 to ${stateCharsMax} characters.`)
  if (parameters.get('code_challenge_method') !== 'S256') throw invalid('code_challenge_method must be S256.')
  const codeChallenge = parameters.get('code_challenge') ?? ''
  if (!codeChallengePattern.test(codeChallenge))
    throw invalid('code_challenge must be the SHA-256 of the code verifier in base64url: 43 characters.')
  return {
    state,
    codeChallenge,
    reportsReplay: parameters.get('ep_report_callback_replay_error') === 'true',
    forwarded: Object.fromEntries(forwarded.flatMap((name) => forward(name, parameters.get(name)))),
  }
}

function forward(name: string, value: string | null): [name: string, value: string][] {
  if (value === null || value === '') return []
  if (value.length > forwardedCharsMax)
    throw invalid(`${name} must have at most ${forwardedCharsMax} characters.`)
  return [[name, value]]
}

const invalid = (description: string) => new SignInRefusal('invalid_request', description)

export const profileRefusal = () =>
  invalid('elasticpath_commerce_cloud_profile_id must be the id of an OIDC profile of this realm.')
