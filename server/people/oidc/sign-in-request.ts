import { hash, randomBytes } from 'node:crypto'
import type { Keys } from '../../kernel/auth/keys.ts'
import { open, seal } from '../../kernel/auth/seal.ts'
import { isId } from '../../kernel/ids.ts'
import type { Tuple } from '../../kernel/storage/database.ts'
import type { Work } from '../../kernel/work/context.ts'

/** A sign-in that is in progress at its provider. */
export interface SignInRequest {
  readonly realmId: string
  readonly profileId: string
  /** Our address that the provider redirects the browser to. */
  readonly callbackUrl: string
  readonly nonce: string
  readonly codeVerifier: string
  readonly redirectUri: string
  readonly state: string
  readonly codeChallenge: string
  readonly reportsReplay: boolean
}

/** A secret for the browser: 256 random bits, of which only the hash is stored. */
export const newSecret = (): string => randomBytes(32).toString('base64url')
export const hashOf = (secret: string): string => hash('sha256', secret, 'base64url')

/** Long enough to type a password and look for a second factor. */
const lifetime = '10 minutes'

const columns =
  'realm_id, oidc_profile_id, callback_url, sealed_nonce, sealed_code_verifier, redirect_uri, state, code_challenge, ' +
  'reports_replay'

/** Stores the request, and returns the state that identifies it at the provider. */
export async function storeSignInRequest(work: Work, request: SignInRequest): Promise<string> {
  const state = newSecret()
  const { sealKeys } = work.instance
  await work.store.write(
    `INSERT INTO sign_in_requests (store_id, state_hash, expires_at, ${columns})
     VALUES ($1, $2, $3::timestamptz + interval '${lifetime}', $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    hashOf(state),
    work.clock.now(),
    request.realmId,
    request.profileId,
    request.callbackUrl,
    seal(sealKeys, request.nonce),
    seal(sealKeys, request.codeVerifier),
    request.redirectUri,
    request.state,
    request.codeChallenge,
    request.reportsReplay,
  )
  return state
}

/** The request of a state. A state is valid once, until it expires, for its realm and profile. */
type SignInLookup =
  | { readonly outcome: 'taken' | 'replayed' | 'expired'; readonly request: SignInRequest }
  | { readonly outcome: 'unknown' }

export async function takeSignInRequest(
  work: Work,
  state: string,
  realmId: string,
  profileId: string,
): Promise<SignInLookup> {
  if (!isId(realmId) || !isId(profileId)) return { outcome: 'unknown' }
  const at = 'store_id = $1 AND state_hash = $2 AND realm_id = $3 AND oidc_profile_id = $4'
  const address = [hashOf(state), realmId, profileId]
  const { sealKeys } = work.instance
  const now = work.clock.now()
  const [taken] = await work.store.write(
    `UPDATE sign_in_requests SET finished_at = $5
     WHERE ${at} AND finished_at IS NULL AND expires_at > $5 RETURNING ${columns}`,
    ...address,
    now,
  )
  if (taken) return { outcome: 'taken', request: requestOf(sealKeys, taken) }
  const [row] = await work.store.read(
    `SELECT ${columns}, finished_at FROM sign_in_requests WHERE ${at}`,
    ...address,
  )
  if (!row) return { outcome: 'unknown' }
  return { outcome: row.at(-1) === null ? 'expired' : 'replayed', request: requestOf(sealKeys, row) }
}

const requestOf = (sealKeys: Keys, tuple: Tuple): SignInRequest => {
  const [realmId, profileId, callbackUrl, nonce, codeVerifier, redirectUri, state, codeChallenge] =
    tuple as readonly string[] as readonly [string, string, string, string, string, string, string, string]
  const reportsReplay = tuple[8] === 't'
  return {
    realmId,
    profileId,
    callbackUrl,
    nonce: open(sealKeys, nonce),
    codeVerifier: open(sealKeys, codeVerifier),
    redirectUri,
    state,
    codeChallenge,
    reportsReplay,
  }
}
