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
  /** The sign-in of a colleague, to end it. */
  readonly sessionId?: string
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

/** What is on the screen belongs to somebody else, who would not see it read or written under another name. */
export class OtherPerson extends Error {}

/** Refuses to go on as somebody else than the screen was opened by. */
export function mustBeSame(id: string): void {
  if (state.session && state.session.id !== id) throw new OtherPerson(state.session.name)
}

export function begin(session: Session, nextToken: () => Promise<string>): void {
  mustBeSame(session.id)
  goOn = nextToken
  change({ session, hasEnded: false })
  for (const resolve of waiting) resolve()
  waiting = []
}

export async function signInWithKey(clientId: string, clientSecret: string): Promise<void> {
  const next = () => requestKeyToken(clientId, clientSecret)
  begin({ by: 'key', name: clientId, id: clientId, token: await next() }, next)
}

/** Without an answer, or with one that says nothing of the sign-in, nobody knows whether it has ended. */
const saysNothing = (error: unknown): boolean =>
  !(error instanceof ApiProblem) || error.status === 0 || error.status === 429 || error.status >= 500

/** Gets a new token in the same way; if that is refused, waits until somebody signs in again. */
export async function renewSession(): Promise<void> {
  const { session } = state
  if (goOn && session) {
    try {
      change({ session: { ...session, token: await goOn() }, hasEnded: false })
      return
    } catch (error) {
      if (!(error instanceof OtherPerson) && saysNothing(error)) throw error
      goOn = undefined
    }
  }
  const signedIn = new Promise<void>((resolve) => waiting.push(resolve))
  change({ ...state, hasEnded: true })
  await signedIn
}

async function requestKeyToken(clientId: string, clientSecret: string): Promise<string> {
  const body = await request(
    '/oauth/access_token',
    'POST',
    new URLSearchParams({
      ...{ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret },
    }),
  )
  return textAt(body, 'access_token')
}

/** A request without the token of the session, or with another one. */
export async function request(
  path: string,
  method: 'GET' | 'POST' | 'PUT' = 'GET',
  body?: URLSearchParams | object,
  token?: string,
): Promise<unknown> {
  const isForm = body instanceof URLSearchParams
  const response = await fetch(path, {
    method,
    headers: {
      ...(body && !isForm && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
    cache: 'no-store',
  }).catch(() => {
    throw new ApiProblem(0, [])
  })
  const answer: unknown = await response.json().catch(() => undefined)
  if (!response.ok) throw new ApiProblem(response.status, faultsIn(answer))
  return answer
}

export const textAt = (body: unknown, path: string): string => {
  const value = valueAt(body, path)
  return typeof value === 'string' ? value : ''
}
