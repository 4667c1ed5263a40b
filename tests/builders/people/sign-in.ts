import { createHash, randomBytes } from 'node:crypto'
import type { Row } from '../../../server/kernel/shape/model.ts'
import { userAuthenticationInfos } from '../../../server/people/index.ts'
import { redeemSignInCode } from '../../../server/people/oidc/sign-in-code.ts'
import type { ForgingProvider } from '../../support/oidc-provider.ts'
import { idOf } from '../../support/requests.ts'
import type { World } from '../../support/world.ts'
import { oidcProfile } from './realms.ts'

/** Short ways to say what the sign-in tests say: a storefront, a browser, and the two in one go. */
export const redirectUri = 'https://shop.example.com/signed-in?from=shop'

export const pkce = () => {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export const loginPath = (world: World, realm: string) =>
  `/oidc-idp/login/stores/${world.storeId}/authentication-realms/${realm}`
export const callbackPath = (world: World, realm: string, profile: string) =>
  `/oidc-idp/callback/stores/${world.storeId}/authentication-realms/${realm}/oidc-profiles/${profile}`

/** What a storefront asks for; a change of undefined leaves the parameter out. */
export const loginQuery = (profile: string, changes: Record<string, string | undefined> = {}) => {
  const parameters = {
    client_id: 'customers',
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid email name',
    state: 'the storefront’s own',
    code_challenge_method: 'S256',
    code_challenge: pkce().challenge,
    elasticpath_commerce_cloud_profile_id: profile,
    ...changes,
  }
  return new URLSearchParams(
    Object.entries(parameters).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as [string, string]],
    ),
  )
}

/** Opens an address as a browser would, without following; the answer says where to next. */
export async function openIn(url: string | URL, cookies = new Map<string, string>()) {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const reply = await fetch(url, { redirect: 'manual', headers: cookie ? { cookie } : {} })
  for (const line of reply.headers.getSetCookie()) {
    const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s)
    if (value) cookies.set(name, value)
    else cookies.delete(name)
  }
  const location = reply.headers.get('location')
  return {
    status: reply.status,
    headers: reply.headers,
    text: await reply.text(),
    location: location === null ? undefined : new URL(location, url),
  }
}

/** Follows redirects from `url` until one leads to an address that starts with `until`. */
export async function follow(url: string | URL, until: string): Promise<URL> {
  const cookies = new Map<string, string>()
  let at = new URL(url)
  for (let hops = 0; hops < 12; hops++) {
    const { status, location, text } = await openIn(at, cookies)
    if (!location) throw new Error(`${at} leads nowhere: ${status} ${text}`)
    if (location.href.startsWith(until)) return location
    at = location
  }
  throw new Error(`${url} never leads to ${until}`)
}

/** A profile for the provider, in a realm that takes the storefront back. */
export async function profileAt(world: World, realm: string, discoveryUrl: string): Promise<string> {
  const realmPath = `/v2/authentication-realms/${realm}`
  await world.admin.put(realmPath, { data: { type: 'authentication-realm', redirect_uris: [redirectUri] } })
  return idOf(world.admin.post(`${realmPath}/oidc-profiles`, oidcProfile({ discovery_url: discoveryUrl })))
}

/** Begins a sign-in: where the browser is sent at the provider, and what the storefront keeps. */
export async function begin(world: World, realm: string, profile: string, changes = {}) {
  const { verifier, challenge } = pkce()
  const query = loginQuery(profile, { code_challenge: challenge, ...changes })
  const { status, location, text } = await openIn(`${world.url}${loginPath(world, realm)}?${query}`)
  if (!location) throw new Error(`no redirect: ${status} ${text}`)
  return { verifier, location, request: location.searchParams, query }
}

type User = Row<typeof userAuthenticationInfos.fields>

/** The user whom the code is good for; a Problem when it is not. */
export async function redeem(
  world: World,
  realm: string,
  code: string | null,
  verifier: string,
  uri = redirectUri,
) {
  const redemption = { code: code ?? '', redirectUri: uri, codeVerifier: verifier }
  const { userId } = await redeemSignInCode(world.work, realm, redemption)
  return (await world.work.store.find(userAuthenticationInfos, userId, [realm])) as User
}

/** A first sign-in of a person with these claims: the id of their user, or the error that the storefront gets. */
export async function firstSignIn(
  { world, provider, realm, profile }: SignInAt,
  person: string,
  claims: object,
  userinfo: object,
) {
  const { request, verifier } = await begin(world, realm, profile, { client_id: 'account-management' })
  const times = { iat: 0, exp: 4_000_000_000 }
  const sub = `${person}-${request.get('nonce')}`
  provider.claims = { iss: provider.url, aud: 'shop', sub, ...times, name: 'Ada Marsh', ...claims }
  provider.userinfo = { sub, ...userinfo }
  const query = `state=${request.get('state')}&code=${request.get('nonce')}`
  const { location } = await openIn(`${world.url}${callbackPath(world, realm, profile)}?${query}`)
  const answer = location?.searchParams as URLSearchParams
  if (answer.get('error')) return { error: answer.get('error'), id: undefined }
  return { error: undefined, id: (await redeem(world, realm, answer.get('code'), verifier)).id }
}

interface SignInAt {
  readonly world: World
  readonly provider: ForgingProvider
  readonly realm: string
  readonly profile: string
}
