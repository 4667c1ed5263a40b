import { type JWTPayload, jwtVerify } from 'jose'
import * as client from 'openid-client'
import type { Work } from '../../kernel/work/context.ts'
import type { OidcProfile } from './oidc-profiles.ts'
import { isPlainText } from './plain-text.ts'
import { clientAt, clockToleranceS } from './provider-client.ts'
import type { SignInRequest } from './sign-in-request.ts'

/** The identity of a person at a provider. A subject is unique only within its issuer. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
  readonly claims: JWTPayload
  /** Fetches further claims, if the ID token has too few for a first sign-in. */
  moreClaims(): Promise<Readonly<Record<string, unknown>>>
}

// Only public-key algorithms: with a shared secret or none, anyone with our client secret could sign tokens.
const algorithms = [
  ...['RS', 'PS', 'ES'].flatMap((kind) => [`${kind}256`, `${kind}384`, `${kind}512`]),
  'EdDSA',
  'Ed25519',
]
const subjectMax = 255

/** Exchanges the provider's authorization code for an ID token, and validates the token. */
export async function identify(
  work: Work,
  profile: OidcProfile,
  request: SignInRequest,
  state: string,
  query: string,
): Promise<Identity> {
  const { provider, config } = await clientAt(work, profile)
  const answer = new URL(request.callbackUrl)
  answer.search = query
  const tokens = await client.authorizationCodeGrant(config, answer, {
    expectedState: state,
    expectedNonce: request.nonce,
    pkceCodeVerifier: request.codeVerifier,
    idTokenExpected: true,
  })
  const { issuer } = provider.metadata
  const { payload } = await jwtVerify(tokens.id_token ?? '', provider.keyOf, {
    algorithms,
    issuer,
    audience: profile.doc.client_id,
    currentDate: work.clock.now(),
    clockTolerance: clockToleranceS,
    requiredClaims: ['sub', 'iat', 'exp'],
  })
  const { sub: subject = '', aud, azp, nonce, iat = 0 } = payload
  // jose checks this only if a maximum age is set.
  if (iat * 1000 > work.clock.now().getTime() + clockToleranceS * 1000)
    throw new Error('the ID token was issued in the future')
  if (nonce !== request.nonce) throw new Error('the nonce belongs to another sign-in')
  const shared = Array.isArray(aud) && aud.length > 1
  if (azp === undefined ? shared : azp !== profile.doc.client_id)
    throw new Error('the ID token was issued to another client')
  if (!isPlainText(subject, subjectMax)) throw new Error('the subject is not valid')
  const moreClaims = async () =>
    provider.metadata.userinfo_endpoint ? client.fetchUserInfo(config, tokens.access_token, subject) : {}
  return { issuer, subject, claims: payload, moreClaims }
}
