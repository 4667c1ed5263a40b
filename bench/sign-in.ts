import { createHash, randomBytes } from 'node:crypto'
import { type OidcProvider, startProvider } from '../tests/support/oidc-provider.ts'
import { type CreatedObject, customerRealmOf, startOwnServer } from './own-server.ts'

/**
 * `node bench/sign-in.ts [signIns providerMs]`: measures a customer's sign-in, from the storefront's first request to
 * the token, beside the same requests at the provider alone. They alternate, one sign-in at a time. The provider keeps
 * everything in memory and calls nobody. It runs on this machine, which gives the worst ratio. `providerMs` delays
 * each of its responses, as a network would.
 */
const [signIns = 300, providerMs = 0] = process.argv.slice(2).map(Number)
const warmUps = 30
const redirectUri = 'https://shop.example.com/signed-in'
const registered = { clientId: 'shop', clientSecret: 'the provider knows it' }

const server = await startOwnServer()
const provider = await startProvider({ ada: { email: 'ada@example.com', name: 'Ada Marsh' } }, providerMs)
try {
  const realmId = await customerRealmOf(server)
  const profileId = await prepare(server, provider, realmId)
  const callback = `${server.url}/oidc-idp/callback/stores/${await storeId()}/authentication-realms/${realmId}/oidc-profiles/${profileId}`
  await provider.register({ ...registered, redirectUris: [callback] })
  provider.signInAs('ada')
  const login = `${server.url}/oidc-idp/login/stores/${await storeId()}/authentication-realms/${realmId}`

  const whole: number[] = []
  const alone: number[] = []
  for (let i = 0; i < warmUps + signIns; i++) {
    const [ours, theirs] = [await timed(() => signIn(login, profileId)), await timed(() => visit(callback))]
    if (i < warmUps) continue
    whole.push(ours)
    alone.push(theirs)
  }
  const [ours, theirs] = [median(whole), median(alone)]
  const added = ours - theirs
  process.stdout.write(
    `${signIns} sign-ins, medians: ${ours.toFixed(1)} ms in all, ${theirs.toFixed(1)} ms at the provider alone: ` +
      `${added.toFixed(1)} ms or ${((100 * added) / theirs).toFixed(0)} % added; ` +
      `10 % at a provider that takes ${(10 * added).toFixed(0)} ms\n`,
  )
} finally {
  await provider.close()
  await server.stop()
}

async function prepare(
  { call }: typeof server,
  { discoveryUrl }: OidcProvider,
  realmId: string,
): Promise<string> {
  const realm = `/v2/authentication-realms/${realmId}`
  await call('PUT', realm, { type: 'authentication-realm', redirect_uris: [redirectUri] })
  const { data } = await call<{ data: CreatedObject }>(
    'POST',
    `${realm}/oidc-profiles`,
    {
      type: 'oidc-profile',
      name: 'Directory',
      discovery_url: discoveryUrl,
      client_id: registered.clientId,
      client_secret: registered.clientSecret,
    },
    201,
  )
  return data.id
}

async function storeId(): Promise<string> {
  const [store] = await server.database.run({ text: 'SELECT id FROM stores', values: [] })
  return store?.[0] as string
}

/** Through the server: to the provider and back, and a token for the code. */
async function signIn(login: string, profileId: string): Promise<void> {
  const { verifier, challenge } = pkce()
  const query = new URLSearchParams({
    client_id: 'customers',
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid email',
    state: 'the storefront’s own',
    code_challenge_method: 'S256',
    code_challenge: challenge,
    elasticpath_commerce_cloud_profile_id: profileId,
  })
  const back = await follow(`${login}?${query}`, redirectUri)
  await server.call('POST', '/v2/customers/tokens', {
    type: 'token',
    authentication_mechanism: 'oidc',
    oauth_authorization_code: back.searchParams.get('code'),
    oauth_redirect_uri: redirectUri,
    oauth_code_verifier: verifier,
  })
}

/** The provider's own part of a sign-in. */
async function visit(callback: string): Promise<void> {
  const { verifier, challenge } = pkce()
  const query = new URLSearchParams({
    client_id: registered.clientId,
    redirect_uri: callback,
    response_type: 'code',
    scope: 'openid email profile',
    state: 'a state',
    nonce: 'a nonce',
    code_challenge_method: 'S256',
    code_challenge: challenge,
  })
  const back = await follow(`${provider.url}/auth?${query}`, callback)
  const answer = await fetch(`${provider.url}/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(`${registered.clientId}:${encodeURIComponent(registered.clientSecret)}`)}`,
    },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: back.searchParams.get('code') ?? '',
      redirect_uri: callback,
      code_verifier: verifier,
    }),
  })
  if (!answer.ok) throw new Error(`no token: ${answer.status} ${await answer.text()}`)
  await answer.arrayBuffer()
}

function pkce() {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** Follows redirects until one leads to `until`, as a browser without cookies. */
async function follow(url: string, until: string): Promise<URL> {
  const cookies = new Map<string, string>()
  for (let at = new URL(url); ; ) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(at, { redirect: 'manual', headers: { cookie } })
    const text = await answer.text()
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const location = answer.headers.get('location')
    if (location === null) throw new Error(`${at} leads nowhere: ${answer.status} ${text}`)
    at = new URL(location, at)
    if (at.searchParams.has('error')) throw new Error(`${at}`)
    if (at.href.startsWith(until)) return at
  }
}

async function timed(act: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await act()
  return performance.now() - began
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
