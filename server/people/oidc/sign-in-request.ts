import { hash, randomBytes } from 'node:crypto'
import type { Keys } from '../../kernel/auth/keys.ts'
import { open, seal } from '../../kernel/auth/seal.ts'
import { isId } from '../../kernel/ids.ts'
import { columns, flag } from '../../kernel/storage/columns.ts'
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

const stored = columns({
  realmId: 'realm_id',
  profileId: 'oidc_profile_id',
  callbackUrl: 'callback_url',
  nonce: 'sealed_nonce',
  codeVerifier: 'sealed_code_verifier',
  redirectUri: 'redirect_uri',
  state: 'state',
  codeChallenge: 'code_challenge',
  reportsReplay: ['reports_replay', flag],
})

/** Stores the request, and returns the state that identifies it at the provider. */
export async function storeSignInRequest(work: Work, request: SignInRequest): Promise<string> {
  const state = newSecret()
  const { sealKeys } = work.instance
  await work.store.write(
    `INSERT INTO sign_in_requests (store_id, state_hash, expires_at, ${stored.sql})
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
     WHERE ${at} AND finished_at IS NULL AND expires_at > $5 RETURNING ${stored.sql}`,
    ...address,
    now,
  )
  if (taken) return { outcome: 'taken', request: requestOf(sealKeys, taken) }
  const [row] = await work.store.read(
    `SELECT ${stored.sql}, finished_at FROM sign_in_requests WHERE ${at}`,
    ...address,
  )
  if (!row) return { outcome: 'unknown' }
  return { outcome: row.at(-1) === null ? 'expired' : 'replayed', request: requestOf(sealKeys, row) }
}

function requestOf(sealKeys: Keys, tuple: Tuple): SignInRequest {
  const request = stored.read(tuple)
  const [nonce, codeVerifier] = [open(sealKeys, request.nonce), open(sealKeys, request.codeVerifier)]
  return { ...request, nonce, codeVerifier }
}
