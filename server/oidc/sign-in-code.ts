import { endTokensOf, type SignedIn } from '../identity/index.ts'
import { unauthorized } from '../kernel/auth/tokens.ts'
import type { Work } from '../kernel/work/context.ts'
import type { Newcomer } from './admit-user.ts'
import { hashOf, newSecret, type SignInRequest } from './sign-in-request.ts'

/** A storefront changes the code at once: it has no reason to wait. */
const lifetime = '5 minutes'

const epochOf = (user: string) =>
  `coalesce((SELECT epoch FROM user_token_epochs e WHERE e.store_id = $1 AND e.user_id = ${user}), 0)`

/**
 * A code for the storefront that asked, good once, for the user whom this identity is; undefined when it is nobody yet.
 * Nothing else makes someone a user: not their email, not their name. Their epoch is of the same look: of someone who
 * is unlinked meanwhile the code is not good.
 */
export async function issueSignInCode(
  work: Work,
  { redirectUri, codeChallenge }: SignInRequest,
  { realmId, profileId, identity: { issuer, subject } }: Newcomer,
): Promise<string | undefined> {
  const code = newSecret()
  const issued = await work.store.jot(
    `INSERT INTO sign_in_codes (store_id, code_hash, expires_at, realm_id, user_authentication_info_id, epoch,
       redirect_uri, code_challenge)
     SELECT store_id, $2, $3::timestamptz + interval '${lifetime}', realm_id, id, ${epochOf('u.id')}, $8, $9
     FROM user_authentication_infos u WHERE store_id = $1 AND realm_id = $4 AND id = (
       SELECT user_authentication_info_id FROM user_authentication_oidc_profile_infos
       WHERE store_id = $1 AND realm_id = $4 AND oidc_profile_id = $5 AND issuer = $6 AND subject = $7)
     RETURNING 1`,
    hashOf(code),
    work.clock.now(),
    realmId,
    profileId,
    issuer,
    subject,
    redirectUri,
    codeChallenge,
  )
  return issued.length ? code : undefined
}

/** What a storefront brings to change a code for a token. */
export interface Redemption {
  readonly code: string
  readonly redirectUri: string
  readonly codeVerifier: string
}

/**
 * The user who signed in to the realm with this code; a Problem (401) when the code is not good. Whatever comes of it,
 * the code is used up: one that was tried with another verifier has been seen by someone else.
 */
export async function redeemSignInCode(
  work: Work,
  realmId: string,
  redemption: Redemption,
): Promise<SignedIn> {
  const { code, redirectUri, codeVerifier } = redemption
  // Not on the shared connection: it waits for whoever is ending the tokens of this code.
  const [row] = await work.store.rows(
    `UPDATE sign_in_codes SET granted =
       expires_at > $6 AND realm_id = $3 AND redirect_uri = $4 AND code_challenge = $5
       AND EXISTS (SELECT FROM user_authentication_infos u
         WHERE u.store_id = $1 AND u.realm_id = $3 AND u.id = user_authentication_info_id)
       AND epoch = ${epochOf('user_authentication_info_id')}
     WHERE store_id = $1 AND code_hash = $2 AND granted IS NULL
     RETURNING granted, user_authentication_info_id, epoch`,
    hashOf(code),
    realmId,
    redirectUri,
    hashOf(codeVerifier),
    work.clock.now(),
  )
  const [granted, userId, epoch] = row ?? []
  if (granted === 't') return { userId: userId as string, tokenEpoch: Number(epoch) }
  if (!row) await endTokensOfCode(work, realmId, redemption)
  // One sentence for every reason: whoever guesses learns nothing.
  throw unauthorized('The authorization code, its redirect URI or its code verifier is not valid.')
}

/**
 * A code that was good, brought once more by someone who knows its verifier: one of the two has stolen it, and which
 * one cannot be told (RFC 6749 §4.1.2).
 */
async function endTokensOfCode(
  work: Work,
  realmId: string,
  { code, redirectUri, codeVerifier }: Redemption,
): Promise<void> {
  await work.transaction(async (work) => {
    const [row] = await work.store.rows(
      `UPDATE sign_in_codes SET granted = false
       WHERE store_id = $1 AND code_hash = $2 AND granted AND realm_id = $3 AND redirect_uri = $4
         AND code_challenge = $5 RETURNING user_authentication_info_id`,
      hashOf(code),
      realmId,
      redirectUri,
      hashOf(codeVerifier),
    )
    if (!row) return
    await endTokensOf(work, [row[0] as string])
    const about = { user: row[0], request_id: work.requestId }
    work.instance.log.warn(about, 'sign-in: a code was used twice, so the tokens of its user were revoked')
  })
}
