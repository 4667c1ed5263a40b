import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import { allowInsecureRequests, customFetch, discovery, type ServerMetadata } from 'openid-client'
import { issuerMax } from './oidc-profiles.ts'
import { isPlainText } from './plain-text.ts'
import type { ProviderFetch } from './provider-fetch.ts'

/** What a provider publishes about itself. */
export interface Provider {
  readonly metadata: ServerMetadata
  /** The key that signed a token. A key that is not known yet is asked for: providers change theirs at any time. */
  readonly keyOf: JWTVerifyGetKey
}

/** Asks a provider for its configuration (OpenID Connect Discovery §4). */
export async function discover(fetch: ProviderFetch, discoveryUrl: string): Promise<Provider> {
  const found = await discovery(new URL(discoveryUrl), 'an unknown issuer', undefined, undefined, {
    [customFetch]: fetch,
    // Which addresses may be unencrypted is decided where they are fetched.
    execute: [allowInsecureRequests],
  })
  const metadata = found.serverMetadata()
  if (!isPlainText(metadata.issuer, issuerMax)) throw new Error('the issuer is not valid')
  return { metadata, keyOf: keysAt(fetch, metadata.jwks_uri) }
}

function keysAt(fetch: ProviderFetch, jwksUri: string | undefined): JWTVerifyGetKey {
  let keys: Promise<JWTVerifyGetKey> | undefined
  const refreshed = () => {
    const fetching = fetchKeys(fetch, jwksUri)
    keys = fetching
    fetching.catch(() => {
      if (keys === fetching) keys = undefined
    })
    return fetching
  }
  return async (header, token) => {
    const had = keys
    const find = await (had ?? refreshed())
    try {
      return await find(header, token)
    } catch (error) {
      // Only the provider's own answer brings anyone here, so a refresh for each costs it no more than that answer.
      if (!had || !(error instanceof errors.JWKSNoMatchingKey)) throw error
      return (await refreshed())(header, token)
    }
  }
}

async function fetchKeys(fetch: ProviderFetch, jwksUri: string | undefined): Promise<JWTVerifyGetKey> {
  const answer = await fetch(jwksUri ?? '', { headers: { accept: 'application/json' } })
  if (!answer.ok) throw new Error(`the provider's keys: ${answer.status}`)
  return createLocalJWKSet((await answer.json()) as JSONWebKeySet)
}
