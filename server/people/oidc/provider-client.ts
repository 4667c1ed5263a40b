import * as client from 'openid-client'
import { open } from '../../kernel/auth/seal.ts'
import { Memory } from '../../kernel/memory.ts'
import type { Row } from '../../kernel/shape/model.ts'
import type { Instance, Work } from '../../kernel/work/context.ts'
import { perInstance } from '../../kernel/work/per-instance.ts'
import type { oidcProfiles } from './oidc-profiles.ts'
import { discover, type Provider } from './provider.ts'
import { providerFetchOf } from './provider-fetch.ts'

type Profile = Row<typeof oidcProfiles.fields>

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
export function clientAt({ instance }: Work, profile: Profile): Promise<ProviderClient> {
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

async function makeClient(instance: Instance, { doc, hidden }: Profile): Promise<ProviderClient> {
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
