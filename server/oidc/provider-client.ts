import * as client from 'openid-client'
import { open } from '../kernel/auth/seal.ts'
import { Memory } from '../kernel/memory.ts'
import type { Row } from '../kernel/shape/model.ts'
import type { Instance, Work } from '../kernel/work/context.ts'
import { perInstance } from '../kernel/work/per-instance.ts'
import type { oidcProfiles } from './oidc-profiles.ts'
import { discover, type Provider } from './provider.ts'
import { providerFetchOf } from './provider-fetch.ts'

type Profile = Row<typeof oidcProfiles.fields>

/** The store as a client of a provider. */
export interface ProviderClient {
  readonly provider: Provider
  readonly config: client.Configuration
}

interface Remembered {
  /** What of the profile the client was made of. */
  readonly source: string
  readonly client: Promise<ProviderClient>
}

/** How far a clock may be off. */
export const clockToleranceS = 60

/** A key that a provider withdraws is good for no longer than this. */
const rememberedForMs = 10 * 60_000
const remembered = perInstance(
  ({ clock }) => new Memory<string, Remembered>(1000, { age: { maxMs: rememberedForMs, clock } }),
)

/** The client of this profile, at the provider as it described itself not long ago. */
export function clientAt({ instance }: Work, profile: Profile): Promise<ProviderClient> {
  const { id, doc, hidden } = profile
  const source = JSON.stringify([doc.discovery_url, doc.client_id, hidden.client_secret])
  const known = remembered(instance)
  const found = known.get(id)
  if (found?.source === source) return found.client
  const made = makeClient(instance, profile)
  const entry = { source, client: made }
  known.set(id, entry)
  // A failure is not remembered.
  made.catch(() => {
    if (known.get(id) === entry) known.delete(id)
  })
  return made
}

async function makeClient(instance: Instance, { doc, hidden }: Profile): Promise<ProviderClient> {
  const fetch = providerFetchOf(instance)
  const provider = await discover(fetch, doc.discovery_url)
  const secret = open(instance.sealKeys, hidden.client_secret ?? '')
  // Basic only where nothing else is offered: some providers do not undo the encoding that RFC 6749 §2.3.1 asks for,
  // and refuse every id and secret with a hyphen.
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
