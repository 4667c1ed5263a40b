import { valueAt } from './objects.ts'
import { ApiProblem, faultsIn } from './problem.ts'

/**
 * Who is signed in. The token and the secret of a key are in the memory of this tab only. A colleague stays signed in by
 * a cookie that scripts cannot read, so their sign-in outlives a reload; that of a key does not.
 */
export interface Session {
  readonly by: 'key' | 'colleague'
  /** The client id of the key; the email address of the colleague. */
  readonly name: string
  /** The id of the user or key. No other store has it. */
  readonly id: string
  /** The name of the colleague's role. */
  readonly role?: string
  readonly token: string
}

export interface SessionState {
  readonly session: Session | undefined
  /** The token has ended while something was on the screen: the sign-in is shown over it. */
  readonly hasEnded: boolean
}

let state: SessionState = { session: undefined, hasEnded: false }
/** How to get the next token; undefined if somebody must sign in again. */
let goOn: (() => Promise<string>) | undefined
/** The sign-in of a colleague, to end it. */
let colleagueSession: string | undefined
let waiting: (() => void)[] = []
const listeners = new Set<() => void>()

function change(next: SessionState): void {
  state = next
  for (const listener of listeners) listener()
}

/** For `useSyncExternalStore`. */
export const sessionStore = {
  get: (): SessionState => state,
  subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}

function begin(session: Session, nextToken: () => Promise<string>): void {
  goOn = nextToken
  change({ session, hasEnded: false })
  for (const resolve of waiting) resolve()
  waiting = []
}

export async function signInWithKey(clientId: string, clientSecret: string): Promise<void> {
  const next = () => requestKeyToken(clientId, clientSecret)
  begin({ by: 'key', name: clientId, id: clientId, token: await next() }, next)
}

/** What a colleague signs in with, and the store, which may be left out where the server has one. */
export interface ColleagueSecret {
  readonly username?: string
  readonly password: string
  /** From the link that a Store Admin has sent: `password` becomes the password of the colleague. */
  readonly invitation?: string
  readonly store?: string
}

export const signInAsColleague = ({ invitation, ...secret }: ColleagueSecret): Promise<void> =>
  beginColleague(
    invitation === undefined
      ? { authentication_mechanism: 'password', ...secret }
      : { authentication_mechanism: 'invitation', invitation, ...secret },
  )

/** Says that the browser may have the cookie of a colleague: without it, asking would be in vain. It is no secret. */
const remembered = 'sutler.colleague'

/** Goes on with the sign-in of a colleague in this browser, if there is one. */
export async function restoreSession(): Promise<void> {
  if (localStorage.getItem(remembered) === null) return
  try {
    await beginColleague({ authentication_mechanism: 'session' })
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 401) localStorage.removeItem(remembered)
  }
}

async function beginColleague(values: object): Promise<void> {
  const { token, sessionId, userId } = await requestColleagueToken(values)
  const own = await fetch('/v2/permissions/own', { headers: { authorization: `Bearer ${token}` } })
  const body = await readJson(own)
  colleagueSession = sessionId
  localStorage.setItem(remembered, 'yes')
  begin(
    { by: 'colleague', name: textAt(body, 'data.email'), id: userId, role: textAt(body, 'data.role'), token },
    async () => (await requestColleagueToken({ authentication_mechanism: 'session' })).token,
  )
}

/** Everything that was read and typed is in the memory of the page, so a reload forgets it. */
export async function signOut(): Promise<void> {
  localStorage.removeItem(remembered)
  if (colleagueSession !== undefined && state.session) {
    const headers = { authorization: `Bearer ${state.session.token}` }
    await fetch(`/v2/colleague-sessions/${colleagueSession}`, { method: 'DELETE', headers }).catch(() => {})
  }
  location.reload()
}

/** Gets a new token in the same way; if that is refused, waits until somebody signs in again. */
export async function renewSession(): Promise<void> {
  const { session } = state
  if (goOn && session) {
    try {
      change({ session: { ...session, token: await goOn() }, hasEnded: false })
      return
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.status >= 500) throw error
      goOn = undefined
    }
  }
  const signedIn = new Promise<void>((resolve) => waiting.push(resolve))
  change({ ...state, hasEnded: true })
  await signedIn
}

async function requestKeyToken(clientId: string, clientSecret: string): Promise<string> {
  const body = await post(
    '/oauth/access_token',
    new URLSearchParams({
      ...{ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret },
    }),
  )
  return textAt(body, 'access_token')
}

async function requestColleagueToken(values: object) {
  const data = { type: 'colleague_token', ...values }
  const body = await post('/v2/colleague-tokens', JSON.stringify({ data }), {
    'content-type': 'application/json',
  })
  return {
    token: textAt(body, 'data.token'),
    sessionId: textAt(body, 'data.session_id'),
    userId: textAt(body, 'data.user_id'),
  }
}

async function post(path: string, body: BodyInit, headers: HeadersInit = {}): Promise<unknown> {
  const response = await fetch(path, { method: 'POST', body, headers }).catch(() => {
    throw new ApiProblem(0, [])
  })
  const answer = await readJson(response)
  if (!response.ok) throw new ApiProblem(response.status, faultsIn(answer))
  return answer
}

const readJson = (response: globalThis.Response): Promise<unknown> => response.json().catch(() => undefined)

const textAt = (body: unknown, path: string): string => {
  const value = valueAt(body, path)
  return typeof value === 'string' ? value : ''
}
