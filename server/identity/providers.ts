import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import { allowInsecureRequests, customFetch, discovery, type ServerMetadata } from 'openid-client'
import type { Ctx, Instance } from '../kernel/context.ts'
import type { Row } from '../kernel/resource.ts'
import { issuerMax, type oidcProfiles } from './oidc-profiles.ts'
import { isPlainText } from './plain-text.ts'
import { providerFetch } from './provider-fetch.ts'

/** What a provider publishes about itself. */
export interface Provider {
  readonly metadata: ServerMetadata
  /** The key that signed a token. A key that is not known yet is asked for: providers change theirs at any time. */
  readonly keyOf: JWTVerifyGetKey
}

interface Remembered {
  readonly discoveryUrl: string
  readonly expiresAtMs: number
  readonly provider: Promise<Provider>
}

/** A key that a provider withdraws is good for no longer than this. */
const rememberedForMs = 10 * 60_000
const rememberedMax = 1000
const remembered = new WeakMap<Instance, Map<string, Remembered>>()

/** The profile's provider, as it described itself not long ago. */
export function providerOf(
  { instance, clock }: Ctx,
  { id, doc }: Row<typeof oidcProfiles.fields>,
): Promise<Provider> {
  const known = remembered.get(instance) ?? new Map<string, Remembered>()
  remembered.set(instance, known)
  const nowMs = clock.now().getTime()
  const found = known.get(id)
  if (found && found.discoveryUrl === doc.discovery_url && found.expiresAtMs > nowMs) return found.provider
  known.delete(id)
  // Oldest first out: a Map keeps the order of insertion.
  if (known.size >= rememberedMax) known.delete(known.keys().next().value as string)
  const provider = discover(doc.discovery_url)
  const entry = { discoveryUrl: doc.discovery_url, expiresAtMs: nowMs + rememberedForMs, provider }
  known.set(id, entry)
  // A failure is not remembered.
  provider.catch(() => {
    if (known.get(id) === entry) known.delete(id)
  })
  return provider
}

async function discover(discoveryUrl: string): Promise<Provider> {
  const found = await discovery(new URL(discoveryUrl), 'nobody yet', undefined, undefined, {
    [customFetch]: providerFetch,
    // Which addresses may be unencrypted is decided where they are fetched.
    execute: [allowInsecureRequests],
  })
  const metadata = found.serverMetadata()
  if (!isPlainText(metadata.issuer, issuerMax)) throw new Error('the issuer is not one')
  return { metadata, keyOf: keysAt(metadata.jwks_uri) }
}

function keysAt(jwksUri: string | undefined): JWTVerifyGetKey {
  let keys: Promise<JWTVerifyGetKey> | undefined
  const refreshed = () => {
    const fetching = fetchKeys(jwksUri)
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

async function fetchKeys(jwksUri: string | undefined): Promise<JWTVerifyGetKey> {
  const answer = await providerFetch(jwksUri ?? '', { headers: { accept: 'application/json' } })
  if (!answer.ok) throw new Error(`the provider's keys: ${answer.status}`)
  return createLocalJWKSet((await answer.json()) as JSONWebKeySet)
}
