import { ApiProblem, faultsIn } from './problem.ts'

/**
 * Who is signed in. All of it is in the memory of this tab, so a reload signs out, and nothing that other pages or
 * extensions of storage could read.
 */
export interface Session {
  readonly clientId: string
  readonly token: string
}

export interface SessionState {
  readonly session: Session | undefined
  /** The token has ended while something was on the screen: the sign-in is shown over it. */
  readonly hasEnded: boolean
}

interface Key {
  readonly clientId: string
  readonly clientSecret: string
}

let state: SessionState = { session: undefined, hasEnded: false }
let key: Key | undefined
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

export async function signIn(clientId: string, clientSecret: string): Promise<void> {
  const token = await requestToken({ clientId, clientSecret })
  key = { clientId, clientSecret }
  change({ session: { clientId, token }, hasEnded: false })
  for (const resolve of waiting) resolve()
  waiting = []
}

/** Everything that was read and typed is in the memory of the page, so a reload forgets it. */
export const signOut = (): void => location.reload()

/** Gets a new token with the same key; if the key is gone, waits until somebody signs in again. */
export async function renewSession(): Promise<void> {
  const known = key
  if (known) {
    try {
      const token = await requestToken(known)
      change({ session: { clientId: known.clientId, token }, hasEnded: false })
      return
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.status >= 500) throw error
      key = undefined
    }
  }
  const signedIn = new Promise<void>((resolve) => waiting.push(resolve))
  change({ ...state, hasEnded: true })
  await signedIn
}

async function requestToken({ clientId, clientSecret }: Key): Promise<string> {
  const response = await fetch('/oauth/access_token', {
    method: 'POST',
    body: new URLSearchParams({
      ...{ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret },
    }),
  })
  const body: unknown = await response.json().catch(() => undefined)
  if (!response.ok) throw new ApiProblem(response.status, faultsIn(body))
  return (body as { readonly access_token: string }).access_token
}
