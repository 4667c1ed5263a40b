import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import { allowInsecureRequests, customFetch, discovery, type ServerMetadata } from 'openid-client'
import { issuerMax } from './oidc-profiles.ts'
import { isPlainText } from './plain-text.ts'
import type { ProviderFetch } from './provider-fetch.ts'

/** The published configuration and keys of a provider. */
export interface Provider {
  readonly metadata: ServerMetadata
  /**
   * Finds the key that signed a token. It fetches the keys again if the key is new: providers rotate keys at any time.
   */
  readonly keyOf: JWTVerifyGetKey
}

/** Fetches the configuration of a provider (OpenID Connect Discovery §4). */
export async function discover(fetch: ProviderFetch, discoveryUrl: string): Promise<Provider> {
  const discoverAt = (url: string) =>
    discovery(new URL(url), 'an unknown issuer', undefined, undefined, {
      [customFetch]: fetch,
      // `fetch` itself decides which addresses may be unencrypted.
      execute: [allowInsecureRequests],
    })
  const discovered = await discoverAt(discoveryUrl).catch((error: unknown) => {
    // Few providers answer at the address with a slash at its end, which people copy with it.
    if (!discoveryUrl.endsWith('/')) throw error
    return discoverAt(discoveryUrl.slice(0, -1))
  })
  const metadata = discovered.serverMetadata()
  if (!isPlainText(metadata.issuer, issuerMax)) throw new Error('the issuer is not valid')
  return { metadata, keyOf: keysAt(fetch, metadata.jwks_uri) }
}

function keysAt(fetch: ProviderFetch, jwksUri: string | undefined): JWTVerifyGetKey {
  let keys: Promise<JWTVerifyGetKey> | undefined
  const refreshKeys = () => {
    const fetching = fetchKeys(fetch, jwksUri)
    keys = fetching
    fetching.catch(() => {
      if (keys === fetching) keys = undefined
    })
    return fetching
  }
  return async (header, token) => {
    const cachedKeys = keys
    const find = await (cachedKeys ?? refreshKeys())
    try {
      return await find(header, token)
    } catch (error) {
      // A token comes here only in a response of the provider, so fetching the keys again at most doubles the
      // requests to it.
      if (!cachedKeys || !(error instanceof errors.JWKSNoMatchingKey)) throw error
      return (await refreshKeys())(header, token)
    }
  }
}

async function fetchKeys(fetch: ProviderFetch, jwksUri: string | undefined): Promise<JWTVerifyGetKey> {
  const answer = await fetch(jwksUri ?? '', { headers: { accept: 'application/json' } })
  if (!answer.ok) throw new Error(`the provider's keys: ${answer.status}`)
  return createLocalJWKSet((await answer.json()) as JSONWebKeySet)
}
