import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
// @ts-expect-error: the package brings no types.
import { Provider } from 'oidc-provider'

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void

async function listen(handler: () => Handler, afterMs = 0) {
  const server = createServer((request, response) => {
    if (afterMs) setTimeout(() => void handler()(request, response), afterMs)
    else void handler()(request, response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}

export async function newKey(kid: string, alg = 'RS256') {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  return { kid, alg, publicKey, privateKey }
}
type Key = Awaited<ReturnType<typeof newKey>>

/** What our client is registered as. */
export interface Registration {
  readonly clientId: string
  readonly clientSecret: string
  readonly redirectUris: readonly string[]
}

/** A real OpenID provider. It signs every browser in as `whoever` without a form. */
export interface OidcProvider {
  readonly url: string
  readonly discoveryUrl: string
  /** The account of the next browser; undefined: the user declines. */
  signInAs(account: string | undefined): void
  register(registration: Registration): Promise<void>
  /** From now on it signs with another key, and publishes only that one. */
  rotateKeys(): Promise<void>
  close(): Promise<void>
}

type People = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** `afterMs` delays its responses, as a network would. */
export async function startProvider(people: People, afterMs = 0): Promise<OidcProvider> {
  let handler: Handler = (_request, response) => void response.writeHead(503).end()
  let account: string | undefined
  let registration: Registration | undefined
  let keys = 0
  const { url, close } = await listen(() => handler, afterMs)

  const start = async () => {
    keys += 1
    const { kid, alg, privateKey } = await newKey(`key-${keys}`)
    const provider = new Provider(url, {
      clients: registration
        ? [
            {
              client_id: registration.clientId,
              client_secret: registration.clientSecret,
              redirect_uris: registration.redirectUris,
            },
          ]
        : [],
      jwks: { keys: [{ ...(await exportJWK(privateKey)), kid, alg, use: 'sig' }] },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'given_name'] },
      findAccount: (_ctx: unknown, sub: string) => ({
        accountId: sub,
        claims: () => ({ sub, ...people[sub] }),
      }),
      interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      loadExistingGrant: async (ctx: OidcContext) => {
        const { clientId } = ctx.oidc.client
        const grant = new ctx.oidc.provider.Grant({ clientId, accountId: ctx.oidc.session.accountId })
        grant.addOIDCScope('openid email profile')
        await grant.save()
        return grant
      },
      features: { devInteractions: { enabled: false } },
      pkce: { required: () => true },
      cookies: { keys: ['only for the tests'] },
      // Some tests put our clock forward, not the provider's.
      ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 86_400 },
    })
    const answer = provider.callback() as Handler
    handler = async (request, response) => {
      if (!request.url?.startsWith('/interaction/')) return answer(request, response)
      const result = account ? { login: { accountId: account } } : { error: 'access_denied' }
      await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
    }
  }

  return {
    url,
    discoveryUrl: `${url}/.well-known/openid-configuration`,
    signInAs: (next) => {
      account = next
    },
    register: (next) => {
      registration = next
      return start()
    },
    rotateKeys: start,
    close,
  }
}

interface OidcContext {
  readonly oidc: {
    readonly client: { readonly clientId: string }
    readonly session: { readonly accountId: string }
    readonly provider: {
      readonly Grant: new (of: object) => { addOIDCScope(scope: string): void; save(): Promise<unknown> }
    }
  }
}

/** How a forger makes an ID token: it has the keys, and the claims that would be right. */
export type Forge = (rightful: JWTPayload, keys: ForgersKeys) => Promise<string> | string
interface ForgersKeys {
  readonly published: Key
  readonly unpublished: Key
  /** The published key as text: a careless client takes it for a shared secret. */
  readonly publishedPem: string
}

/** A provider whose ID tokens, discovery document and userinfo a test can choose. */
export interface ForgingProvider {
  readonly url: string
  readonly discoveryUrl: string
  /** The right claims of the next ID token, but for the nonce: that is the code it is asked for with. */
  claims: JWTPayload
  forge: Forge
  discovery: Readonly<Record<string, unknown>>
  userinfo: Readonly<Record<string, unknown>>
  /** Replaces the response at a path. */
  override: ((path: string, response: ServerResponse) => boolean) | undefined
  /** The number of requests for a path. */
  countRequests(path: string): number
  close(): Promise<void>
}

/** An ID token with these claims; `alg` and `kid` are the published key's unless another is given. */
export const signed = (claims: JWTPayload, key: Key, header: object = {}): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg: key.alg, kid: key.kid, ...header }).sign(key.privateKey)

export async function startForger(): Promise<ForgingProvider> {
  const [published, unpublished] = [await newKey('published'), await newKey('published')]
  const publishedPem = await exportSPKI(published.publicKey)
  const jwk = { ...(await exportJWK(published.publicKey)), kid: published.kid, use: 'sig' }
  const counts = new Map<string, number>()
  const say = (response: ServerResponse, body: unknown) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))

  const { url, close } = await listen(() => async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://provider')
    counts.set(pathname, (counts.get(pathname) ?? 0) + 1)
    let form = ''
    for await (const chunk of request.setEncoding('utf8')) form += chunk
    if (forger.override?.(pathname, response)) return
    if (pathname === '/keys') return say(response, { keys: [jwk] })
    if (pathname === '/userinfo') return say(response, forger.userinfo)
    if (pathname === '/token') {
      const nonce = new URLSearchParams(form).get('code') ?? ''
      const keys = { published, unpublished, publishedPem }
      const id_token = await forger.forge({ ...forger.claims, nonce }, keys)
      return say(response, { access_token: 'opaque', token_type: 'Bearer', id_token })
    }
    return say(response, {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/keys`,
      userinfo_endpoint: `${url}/userinfo`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
      ...forger.discovery,
    })
  })
  const forger: ForgingProvider = {
    url,
    discoveryUrl: `${url}/.well-known/openid-configuration`,
    claims: {},
    forge: (claims, keys) => signed(claims, keys.published),
    discovery: {},
    userinfo: {},
    override: undefined,
    countRequests: (path) => counts.get(path) ?? 0,
    close,
  }
  return forger
}
