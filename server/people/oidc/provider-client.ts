import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import * as client from 'openid-client'
import { allowInsecureRequests, customFetch, discovery, type ServerMetadata } from 'openid-client'
import { open } from '../../kernel/auth/seal.ts'
import { Memory } from '../../kernel/memory.ts'
import type { Instance, Work } from '../../kernel/work/context.ts'
import { perInstance } from '../../kernel/work/per-instance.ts'
import { issuerMax, type OidcProfile } from './oidc-profiles.ts'
import { isPlainText } from './plain-text.ts'
import { type ProviderFetch, providerFetchOf } from './provider-fetch.ts'

/** The published configuration and keys of a provider. */
interface Provider {
  readonly metadata: ServerMetadata
  /**
   * Finds the key that signed a token. It fetches the keys again if the key is new: providers rotate keys at any time.
   */
  readonly keyOf: JWTVerifyGetKey
}

/** Fetches the configuration of a provider (OpenID Connect Discovery §4). */
async function discover(fetch: ProviderFetch, discoveryUrl: string): Promise<Provider> {
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

/** The store as a client of a provider. */
interface ProviderClient {
  readonly provider: Provider
  readonly config: client.Configuration
}

interface CachedClient {
  /** The values of the profile that the client was created from. */
  readonly source: string
  readonly client: Promise<ProviderClient>
}

/** The accepted clock skew. */
export const clockToleranceS = 60

/** How long a withdrawn key of a provider is accepted at most. */
const cacheMaxMs = 10 * 60_000
const clientCache = perInstance(
  ({ clock }) => new Memory<string, CachedClient>(1000, { age: { maxMs: cacheMaxMs, clock } }),
)

/** The client of this profile, with a recent configuration of the provider. */
export function clientAt({ instance }: Work, profile: OidcProfile): Promise<ProviderClient> {
  const { id, doc, hidden } = profile
  const source = JSON.stringify([doc.discovery_url, doc.client_id, hidden.client_secret])
  const cache = clientCache(instance)
  const cached = cache.get(id)
  if (cached?.source === source) return cached.client
  const creation = makeClient(instance, profile)
  const entry = { source, client: creation }
  cache.set(id, entry)
  // A failure is not cached.
  creation.catch(() => {
    if (cache.get(id) === entry) cache.delete(id)
  })
  return creation
}

async function makeClient(instance: Instance, { doc, hidden }: OidcProfile): Promise<ProviderClient> {
  const fetch = providerFetchOf(instance)
  const provider = await discover(fetch, doc.discovery_url)
  const secret = open(instance.sealKeys, hidden.client_secret ?? '')
  // Basic only if the provider offers nothing else: some providers do not undo the encoding of RFC 6749 §2.3.1, and
  // refuse every id and secret with a hyphen.
  const methods = provider.metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const authentication = methods.includes('client_secret_post')
    ? client.ClientSecretPost(secret)
    : client.ClientSecretBasic(secret)
  const metadata = { [client.clockTolerance]: clockToleranceS }
  const config = new client.Configuration(provider.metadata, doc.client_id, metadata, authentication)
  config[client.customFetch] = fetch
  client.allowInsecureRequests(config)
  return { provider, config }
}
