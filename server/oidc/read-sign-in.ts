import { type authenticationRealms, realmClients } from '../identity/index.ts'
import type { Row } from '../kernel/shape/model.ts'
import { codeChallengePattern, forwardedCharsMax, stateCharsMax } from './sign-in-query.ts'
import { SignInRefusal, type Storefront } from './sign-in-refusal.ts'

type Realm = Row<typeof authenticationRealms.fields>

/** What a storefront asks for, checked. */
export interface AskedSignIn {
  readonly state: string
  readonly codeChallenge: string
  readonly reportsReplay: boolean
  /** For the provider to read. */
  readonly forwarded: Readonly<Record<string, string>>
}

const forwarded = ['prompt', 'display', 'ui_locales'] as const

/** Why the browser must not be sent back to the address that it came with; undefined when it may. */
export function whyUnsafe({ doc }: Realm, asked: URLSearchParams): string | undefined {
  const origin = doc.relationships?.origin.data.type
  const clientId = origin && realmClients[origin]
  if (clientId === undefined || only(asked, 'client_id') !== clientId) {
    return 'client_id must be the client id of this realm, as the settings of the realm show it.'
  }
  if (!doc.redirect_uris.includes(only(asked, 'redirect_uri') ?? '')) {
    return 'redirect_uri must be exactly one of the redirect_uris of this realm.'
  }
  return undefined
}

/** RFC 6749 §3.1: a parameter may not come twice. */
function only(asked: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = asked.getAll(name)
  return more.length === 0 ? value : undefined
}

export const profileIdOf = (asked: URLSearchParams): string =>
  asked.get('elasticpath_commerce_cloud_profile_id') ?? ''

export const storefrontOf = (asked: URLSearchParams): Storefront => {
  const state = only(asked, 'state')
  return {
    redirectUri: asked.get('redirect_uri') ?? '',
    state: state !== undefined && isState(state) ? state : undefined,
  }
}

const isState = (text: string) => text.length <= stateCharsMax && /^\P{Cc}+$/u.test(text)

/** The request, once it is known where to go back to; a SignInRefusal when it is not one. */
export function readSignIn(asked: URLSearchParams): AskedSignIn {
  const twice = [...new Set(asked.keys())].find((name) => asked.getAll(name).length > 1)
  if (twice !== undefined) throw invalid('Each parameter must be sent only once.')
  if (asked.get('response_type') !== 'code') {
    throw new SignInRefusal('unsupported_response_type', 'response_type must be code.')
  }
  const scopes = (asked.get('scope') ?? '').split(' ')
  if (!scopes.includes('openid') || !scopes.includes('email')) {
    throw new SignInRefusal('invalid_scope', 'scope must include openid and email.')
  }
  const state = asked.get('state') ?? ''
  if (!isState(state)) throw invalid(`state must have 1 to ${stateCharsMax} characters.`)
  if (asked.get('code_challenge_method') !== 'S256') throw invalid('code_challenge_method must be S256.')
  const codeChallenge = asked.get('code_challenge') ?? ''
  if (!codeChallengePattern.test(codeChallenge))
    throw invalid('code_challenge must be a code challenge of the method S256.')
  return {
    state,
    codeChallenge,
    reportsReplay: asked.get('ep_report_callback_replay_error') === 'true',
    forwarded: Object.fromEntries(forwarded.flatMap((name) => forward(name, asked.get(name)))),
  }
}

function forward(name: string, value: string | null): [name: string, value: string][] {
  if (value === null || value === '') return []
  if (value.length > forwardedCharsMax)
    throw invalid(`${name} must have at most ${forwardedCharsMax} characters.`)
  return [[name, value]]
}

const invalid = (description: string) => new SignInRefusal('invalid_request', description)

export const noProfile = () =>
  invalid('elasticpath_commerce_cloud_profile_id must be the id of an OIDC profile of this realm.')
