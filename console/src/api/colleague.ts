import { ApiProblem } from './problem.ts'
import { begin, mustBeSame, request, type Session, sessionStore, textAt } from './session.ts'

/** How a colleague proves who they are: the body of a request for a token, without the store. */
type Proof =
  | {
      readonly authentication_mechanism: 'password'
      readonly username: string
      readonly password: string
    }
  | {
      readonly authentication_mechanism: 'passwordless'
      readonly username: string
      readonly one_time_password_token: string
    }
  /** From the link that a Store Admin has sent: `password` becomes the password of the colleague. */
  | {
      readonly authentication_mechanism: 'invitation'
      readonly invitation: string
      readonly password: string
      /** Of the first colleague, whom nobody has invited. */
      readonly name?: string
      readonly email?: string
    }
  | {
      readonly authentication_mechanism: 'oidc'
      readonly oauth_authorization_code: string
      readonly oauth_redirect_uri: string
      readonly oauth_code_verifier: string
    }
  /** Goes on with the cookie of this browser. */
  | { readonly authentication_mechanism: 'session' }

/** Says that the browser may have the cookie of a colleague: without it, asking would be in vain. It is no secret. */
const remembered = 'sutler.colleague'
/** The store that somebody has signed in to here, for the sign-in page of a server with several. */
const rememberedStore = 'sutler.store'

/** Tells the other tabs that this browser has a new cookie: they may go on, too. */
const news = new BroadcastChannel('sutler.colleague')

export async function signInAsColleague(proof: Proof, store?: string): Promise<void> {
  await enter({ ...proof, ...(store && { store }) })
  news.postMessage('signed in')
}

/** Goes on with the sign-in of a colleague in this browser, if there is one. */
export async function restoreSession(): Promise<void> {
  if (localStorage.getItem(remembered) === null) return
  try {
    await enter({ authentication_mechanism: 'session' })
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 401) localStorage.removeItem(remembered)
  }
}

/** While this tab waits for a sign-in, one in another tab or window of the browser will do, if it is the same person. */
export function listenToOtherTabs(): void {
  news.onmessage = () => {
    if (sessionStore.get().hasEnded && sessionStore.get().session?.by === 'colleague')
      enter({ authentication_mechanism: 'session' }).catch(() => {})
  }
}

async function enter(values: Proof): Promise<void> {
  await enterWith(await requestToken(values))
}

interface TokenOfColleague {
  readonly token: string
  readonly sessionId: string
  readonly userId: string
  readonly storeId: string
}

async function enterWith({ token, sessionId, userId: id, storeId }: TokenOfColleague): Promise<void> {
  mustBeSame(id)
  const own = await request('/v2/permissions/own', 'GET', undefined, token)
  localStorage.setItem(remembered, 'yes')
  localStorage.setItem(rememberedStore, storeId)
  const [name, role] = [textAt(own, 'data.email'), textAt(own, 'data.role')]
  const session: Session = { by: 'colleague', name, id, role, sessionId, token }
  begin(session, async () => {
    const next = await requestToken({ authentication_mechanism: 'session' })
    // Somebody else may have signed in meanwhile, in another tab.
    mustBeSame(next.userId)
    return next.token
  })
}

async function requestToken(values: object): Promise<TokenOfColleague> {
  const data = { type: 'colleague_token', ...values }
  return tokenIn(await request('/v2/colleague-tokens', 'POST', { data }))
}

const tokenIn = (body: unknown): TokenOfColleague => ({
  token: textAt(body, 'data.token'),
  sessionId: textAt(body, 'data.session_id'),
  userId: textAt(body, 'data.user_id'),
  storeId: textAt(body, 'data.store_id'),
})

/** Everything that was read and typed is in the memory of the page, so a reload forgets it. */
export async function signOut(): Promise<void> {
  localStorage.removeItem(remembered)
  const { session } = sessionStore.get()
  if (session?.sessionId !== undefined) {
    const headers = { authorization: `Bearer ${session.token}` }
    await fetch(`/v2/colleague-sessions/${session.sessionId}`, { method: 'DELETE', headers }).catch(() => {})
  }
  location.reload()
}

/** Replaces the colleague's password, which ends their other sign-ins, and goes on with a new one. */
export async function changePassword(current_password: string, password: string): Promise<void> {
  const data = { type: 'own_password', current_password, password }
  const { session } = sessionStore.get()
  const body = await request('/v2/permissions/own/password', 'PUT', { data }, session?.token)
  await enterWith(tokenIn(body))
}

/** A provider that colleagues sign in with. */
export interface Provider {
  readonly id: string
  readonly name: string
}

/** How the colleagues of a store can sign in. */
export interface Ways {
  readonly storeId: string
  readonly realmId: string
  readonly clientId: string
  /** The page that a provider leads back to. */
  readonly redirectUri: string
  readonly hasCodes: boolean
  readonly providers: readonly Provider[]
}

export const storeBefore = (): string => localStorage.getItem(rememberedStore) ?? ''

/** Undefined if there are several stores and none is named, or there is no such store. */
export async function readWays(store: string): Promise<Ways | undefined> {
  const query = store && `?${new URLSearchParams({ store })}`
  const body = await request(`/v2/colleague-sign-in${query}`).catch((error: unknown) => {
    if (error instanceof ApiProblem && error.status === 422) return undefined
    throw error
  })
  if (body === undefined) return undefined
  const { data } = body as { data: { one_time_passwords: boolean; providers: readonly Provider[] } }
  return {
    storeId: textAt(body, 'data.store_id'),
    realmId: textAt(body, 'data.realm_id'),
    clientId: textAt(body, 'data.client_id'),
    redirectUri: textAt(body, 'data.redirect_uri'),
    hasCodes: data.one_time_passwords,
    providers: data.providers,
  }
}

/** Requests a one-time password, which the colleague gets by mail. */
export async function requestCode(username: string, store: string): Promise<void> {
  const data = { type: 'colleague_one_time_password', username, ...(store && { store }) }
  await request('/v2/colleague-one-time-passwords', 'POST', { data })
}
