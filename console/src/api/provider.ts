import { type Provider, signInAsColleague, type Ways } from './colleague.ts'
import { sessionStore } from './session.ts'

/**
 * The sign-in with a provider of OpenID Connect (RFC 6749, RFC 7636). The browser goes there and comes back with a code.
 * What only this tab knows is in its `sessionStorage`, so a link that somebody sends leads to nothing.
 */

interface Pending {
  readonly verifier: string
  readonly redirectUri: string
  readonly storeId: string
  /** The screen to come back to. */
  readonly screen: string
  /** The sign-in has a window of its own, over a screen with something typed. */
  readonly isWindow: boolean
  /** Whose screen it is, if the sign-in is over one. */
  readonly person?: string | undefined
}

/** Why nobody is signed in. Texts from the address are not shown: anyone can write them. */
type Failure = 'unknown' | 'declined' | 'late' | 'away' | 'failed' | 'insecure' | 'elsewhere' | 'blocked'

export type Outcome =
  | { readonly kind: 'none' }
  | { readonly kind: 'signed-in' | 'in-window' }
  /** In its window somebody else signed in than the one whose screen is behind it. */
  | { readonly kind: 'other-person'; readonly person: string; readonly own: string }
  | { readonly kind: 'failed'; readonly failure: Failure }
  /** The server has refused the code: the colleague may have no role. */
  | { readonly kind: 'refused'; readonly error: unknown }

const page = '/console/signed-in'
const keyOf = (state: string) => `sutler.sign-in.${state}`

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

const newSecret = () => base64url(crypto.getRandomValues(new Uint8Array(32)))

/** Sends the browser to the provider, or a window of it. Returns what is in the way. */
export async function goToProvider(
  ways: Ways,
  provider: Provider,
  isWindow: boolean,
  person?: string,
): Promise<Failure | undefined> {
  // Browsers have it on pages that come by https, or from this machine.
  if (!('subtle' in crypto)) return 'insecure'
  if (new URL(ways.redirectUri).origin !== location.origin) return 'elsewhere'
  const [state, verifier] = [newSecret(), newSecret()]
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  const screen = location.pathname + location.search
  const pending: Pending = {
    ...{ verifier, redirectUri: ways.redirectUri, storeId: ways.storeId, screen, isWindow, person },
  }
  // A window that this tab opens has a copy of it.
  sessionStorage.setItem(keyOf(state), JSON.stringify(pending))
  const query = new URLSearchParams({
    ...{ client_id: ways.clientId, redirect_uri: ways.redirectUri, response_type: 'code' },
    ...{ scope: 'openid email profile', state, elasticpath_commerce_cloud_profile_id: provider.id },
    ...{ code_challenge: base64url(new Uint8Array(digest)), code_challenge_method: 'S256' },
  })
  const address = `/oidc-idp/login/stores/${ways.storeId}/authentication-realms/${ways.realmId}?${query}`
  if (!isWindow) {
    location.assign(address)
    return undefined
  }
  const opened = window.open(address, '_blank', 'popup,width=520,height=720')
  sessionStorage.removeItem(keyOf(state))
  return opened ? undefined : 'blocked'
}

/** Finishes the sign-in on the page that the provider leads back to. The code leaves the address first. */
export async function comeBackFromProvider(): Promise<Outcome> {
  if (location.pathname !== page) return { kind: 'none' }
  const query = new URLSearchParams(location.search)
  const pending = take(query.get('state') ?? '')
  history.replaceState(null, '', pending?.screen ?? '/console')
  if (!pending) return { kind: 'failed', failure: 'unknown' }
  const code = query.get('code')
  if (!code) return { kind: 'failed', failure: failureOf(query.get('error')) }
  try {
    await signInAsColleague(
      {
        authentication_mechanism: 'oidc',
        oauth_authorization_code: code,
        oauth_redirect_uri: pending.redirectUri,
        oauth_code_verifier: pending.verifier,
      },
      pending.storeId,
    )
    const own = sessionStore.get().session?.name ?? ''
    if (pending.person !== undefined && pending.person !== own)
      return { kind: 'other-person', person: pending.person, own }
    return { kind: pending.isWindow ? 'in-window' : 'signed-in' }
  } catch (error) {
    return { kind: 'refused', error }
  }
}

/** Each is good for one return. */
function take(state: string): Pending | undefined {
  const text = sessionStorage.getItem(keyOf(state))
  sessionStorage.removeItem(keyOf(state))
  if (text === null) return undefined
  const pending = JSON.parse(text) as Pending
  return pending.screen.startsWith('/console') ? pending : undefined
}

function failureOf(error: string | null): Failure {
  if (error === 'access_denied') return 'declined'
  if (error === 'temporarily_unavailable' || error === 'server_error') return 'away'
  return error === 'invalid_request' ? 'late' : 'failed'
}
