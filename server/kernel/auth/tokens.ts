import { SignJWT } from 'jose'
import type { Clock } from '../clock.ts'
import { Problem } from '../errors.ts'
import { newId } from '../ids.ts'
import { Memory } from '../memory.ts'
import { deriveKeys, type KeySecrets, type Keys, verifyToken } from './keys.ts'
import type { Principal } from './principal.ts'
import type { RequestRates } from './request-rates.ts'

/** Another process may delete a key. Half of the second within which all of its responses end. */
const lookEveryMs = 500

/** How a watch learns that what it watches has ended, and what it says then. */
interface WatchRule {
  readonly isActive: () => Promise<boolean>
  readonly reason: () => Error
}

interface WatchedKey {
  readonly rule: WatchRule
  readonly deleted: AbortController
  readonly timer: NodeJS.Timeout
  watchers: number
}

/** A watch of one response. */
interface Watch {
  /** Aborts when the key is deleted. */
  readonly signal: AbortSignal
  /** Ends the watch. Call it once. */
  leave(): void
}

/**
 * Watches the keys and the sign-ins of responses that last: each is looked up in its interval, however many responses
 * it has.
 */
export class KeyWatch {
  readonly #keys = new Map<string, WatchedKey>()

  watch(keyId: string, rule: WatchRule): Watch {
    const key = this.#keys.get(keyId) ?? this.#begin(keyId, rule)
    key.watchers += 1
    const leave = () => {
      key.watchers -= 1
      if (key.watchers === 0) this.#forget(keyId, key)
    }
    return { signal: key.deleted.signal, leave }
  }

  /** Ends the responses of a key. */
  end(keyId: string): void {
    const key = this.#keys.get(keyId)
    if (!key) return
    this.#forget(keyId, key)
    key.deleted.abort(key.rule.reason())
  }

  #begin(keyId: string, rule: WatchRule): WatchedKey {
    let isLooking = false
    const look = async () => {
      if (isLooking) return
      isLooking = true
      // A database that is away says nothing about the key.
      const isActive = await rule.isActive().catch(() => true)
      isLooking = false
      if (!isActive) this.end(keyId)
    }
    const timer = setInterval(look, lookEveryMs).unref()
    const key = { deleted: new AbortController(), timer, rule, watchers: 0 }
    this.#keys.set(keyId, key)
    return key
  }

  #forget(keyId: string, key: WatchedKey): void {
    clearInterval(key.timer)
    if (this.#keys.get(keyId) === key) this.#keys.delete(keyId)
  }
}

const verifiedMax = 10_000
const keysMax = 10_000
/**
 * Other processes notice a deleted key within a second, including the lookup; the process that deletes it notices at
 * once.
 */
const keyRecheckAfterMs = 800

/** What a request needs to know of its application key. */
export interface ActiveKey {
  /** The requests a second that are reserved for the key. */
  readonly reservedRate: number
  /** The rates of its store, if the store has its own. */
  readonly storeRates: RequestRates | undefined
}

/** Finds a key; undefined if it was deleted. */
type FindKey = (storeId: string, keyId: string) => Promise<ActiveKey | undefined>

/** A sign-in of a person: it takes the place of a key, and says what kind of caller the person is now. */
export interface ActiveSession extends ActiveKey {
  readonly kind: string
}

/** Finds the sign-in of a person; undefined if it has ended. */
type FindSession = (storeId: string, sessionId: string) => Promise<ActiveSession | undefined>

/** How long the token of a person is valid. The sign-in may give out another one. */
const personLifetimeS = 15 * 60

interface VerifiedToken {
  readonly principal: Principal
  readonly expiresAtMs: number
}

/**
 * Access tokens (RFC 6750 bearer tokens, signed with HS256). They belong to an application key and are verified without
 * the database.
 */
export class Tokens {
  readonly #signKeys: Keys
  readonly #clock: Clock
  readonly #findKey: FindKey
  readonly #findSession: FindSession
  readonly #verified = new Memory<string, VerifiedToken>(verifiedMax)
  readonly #keys: Memory<string, { readonly key: ActiveKey | ActiveSession | undefined }>
  readonly #watch = new KeyWatch()
  readonly lifetimeS: number

  constructor(
    secrets: KeySecrets,
    clock: Clock,
    lifetimeS: number,
    findKey: FindKey,
    findSession: FindSession,
  ) {
    this.#signKeys = deriveKeys(secrets, 'access-token')
    this.#clock = clock
    this.#findKey = findKey
    this.#findSession = findSession
    this.#keys = new Memory(keysMax, { age: { maxMs: keyRecheckAfterMs, clock } })
    this.lifetimeS = lifetimeS
  }

  /**
   * A token for a key, and its expiry (seconds since the epoch). A caller that shows no secret is `anonymous`: each
   * such token counts as a separate caller.
   */
  async issue(
    storeId: string,
    keyId: string,
    kind: string,
    anonymous: boolean,
  ): Promise<{ token: string; expires: number }> {
    const issued = Math.floor(this.#clock.now().getTime() / 1000)
    const expires = issued + this.lifetimeS
    const token = await new SignJWT({ store_id: storeId, kind, ...(anonymous && { jti: newId() }) })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(keyId)
      .setIssuedAt(issued)
      .setExpirationTime(expires)
      .sign(this.#signKeys[0])
    return { token, expires }
  }

  /** A token for a person who has signed in, and its expiry (seconds since the epoch). */
  async issueToPerson(
    storeId: string,
    personId: string,
    sessionId: string,
  ): Promise<{ token: string; expires: number }> {
    const issued = Math.floor(this.#clock.now().getTime() / 1000)
    const expires = issued + personLifetimeS
    const token = await new SignJWT({ store_id: storeId, kind: 'person', sid: sessionId })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(personId)
      .setIssuedAt(issued)
      .setExpirationTime(expires)
      .sign(this.#signKeys[0])
    return { token, expires }
  }

  /** The caller of a token, and its key or sign-in; throws a Problem (401) if the token is not valid. */
  async verify(token: string): Promise<{ readonly who: Principal; readonly key: ActiveKey }> {
    const nowMs = this.#clock.now().getTime()
    let verified = this.#verified.get(token)
    if (!verified) {
      verified = await this.#open(token)
      this.#verified.set(token, verified)
    }
    if (verified.expiresAtMs <= nowMs) {
      this.#verified.delete(token)
      throw unauthorized('The access token has expired.')
    }
    const { principal } = verified
    const id = principal.sessionId ?? principal.keyId
    let known = this.#keys.get(id)
    if (!known) {
      const checked = { key: await this.#find(principal) }
      // Do not overwrite a newer entry: the key may have been revoked meanwhile.
      known = this.#keys.get(id)
      if (!known) this.#keys.set(id, checked)
      known ??= checked
    }
    const { key } = known
    if (!key) throw endOf(principal)
    const who = 'kind' in key ? { ...principal, kind: key.kind, grant: key.kind } : principal
    return { who, key }
  }

  #find({ storeId, keyId, sessionId }: Principal): Promise<ActiveKey | ActiveSession | undefined> {
    return sessionId === undefined ? this.#findKey(storeId, keyId) : this.#findSession(storeId, sessionId)
  }

  /**
   * Ends the tokens of a key, or of a sign-in. It does not just drop the cached key, since the database still has it
   * until the deletion commits.
   */
  revoke(keyId: string): void {
    this.#keys.set(keyId, { key: undefined })
    this.#watch.end(keyId)
  }

  /** Watches the key or the sign-in of a caller whose response lasts. */
  watch(who: Principal): Watch {
    return this.#watch.watch(who.sessionId ?? who.keyId, {
      isActive: async () => (await this.#find(who)) !== undefined,
      reason: () => endOf(who),
    })
  }

  async #open(token: string): Promise<VerifiedToken> {
    try {
      const payload = await verifyToken(this.#signKeys, token, { currentDate: this.#clock.now() })
      const { sub = '', store_id, kind, sid, exp = 0, jti = sub } = payload
      const grant = String(kind)
      const principal = { storeId: String(store_id), kind: grant, grant, keyId: sub, actor: sub, caller: jti }
      const session = typeof sid === 'string' ? { sessionId: sid } : {}
      return { principal: { ...principal, ...session }, expiresAtMs: exp * 1000 }
    } catch (error) {
      throw unauthorized('Unable to validate the access token.', error)
    }
  }
}

const endOf = ({ sessionId }: Principal) =>
  unauthorized(
    sessionId === undefined
      ? 'The application key of this access token was deleted.'
      : 'The sign-in of this access token has ended; sign in again.',
  )

// RFC 6750 §3: the refusal names the scheme.
export const unauthorized = (detail: string, cause?: unknown) =>
  new Problem('unauthorized', detail, { headers: { 'www-authenticate': 'Bearer' }, cause })

/** The token of an Authorization header. Also accepts `Bearer: x`, which a published script sends. */
export function bearerToken(header: string | undefined): string {
  const match = /^Bearer:?\s+(\S+)\s*$/i.exec(header ?? '')
  if (!match?.[1]) throw unauthorized('Send the header Authorization: Bearer <access token>.')
  return match[1]
}
