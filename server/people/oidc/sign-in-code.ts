import { unauthorized } from '../../kernel/auth/tokens.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { Chore } from '../../kernel/work/job.ts'
import { revokeTokensOf, type SignIn } from '../identity/user-token-epoch.ts'
import type { Newcomer } from './admit-user.ts'
import { hashOf, newSecret, type SignInRequest } from './sign-in-request.ts'
import { withoutSlash } from './user-authentication-oidc-profile-infos.ts'

/** Storefronts exchange the code at once. */
const lifetime = '5 minutes'

const epochOf = (user: string) =>
  `coalesce((SELECT epoch FROM user_token_epochs e WHERE e.store_id = $1 AND e.user_id = ${user}), 0)`

/**
 * Issues a one-time code for the user with this identity; undefined if there is no such user. Only the identity counts,
 * not the email or the name. The same statement reads the token epoch, so the code is not valid if the user is unlinked
 * in the meantime.
 */
export async function issueSignInCode(
  work: Work,
  { redirectUri, codeChallenge }: SignInRequest,
  { realmId, profileId, identity: { issuer, subject } }: Newcomer,
): Promise<string | undefined> {
  const code = newSecret()
  const rows = await work.store.write(
    `INSERT INTO sign_in_codes (store_id, code_hash, expires_at, realm_id, user_authentication_info_id, epoch,
       redirect_uri, code_challenge)
     SELECT store_id, $2, $3::timestamptz + interval '${lifetime}', realm_id, id, ${epochOf('u.id')}, $8, $9
     FROM user_authentication_infos u WHERE store_id = $1 AND realm_id = $4 AND id = (
       SELECT user_authentication_info_id FROM user_authentication_oidc_profile_infos
       WHERE store_id = $1 AND realm_id = $4 AND oidc_profile_id = $5 AND subject = $7
         AND ${withoutSlash('issuer')} = ${withoutSlash('$6::text')}
       ORDER BY issuer = $6::text DESC LIMIT 1)
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
  return rows.length ? code : undefined
}

/** What a storefront sends to exchange a code for a token. */
interface Redemption {
  readonly code: string
  readonly redirectUri: string
  readonly codeVerifier: string
}

/**
 * Returns the user who signed in to the realm with this code. Throws a Problem (401) if the code is not valid. The code
 * is used up in either case: a wrong verifier means that someone else has seen the code.
 */
export async function redeemSignInCode(work: Work, realmId: string, redemption: Redemption): Promise<SignIn> {
  const { code, redirectUri, codeVerifier } = redemption
  // Not on the shared connection: the statement may wait for a transaction that revokes the tokens of this code.
  const [row] = await work.store.run(
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
  // The same message for every reason, so that an attacker who guesses learns nothing.
  throw unauthorized('The authorization code, its redirect URI or its code verifier is not valid.')
}

/**
 * Revokes the user's tokens if a valid code is used a second time with its verifier: one of the two clients has stolen
 * it, and the server cannot know which (RFC 6749 §4.1.2).
 */
async function endTokensOfCode(
  work: Work,
  realmId: string,
  { code, redirectUri, codeVerifier }: Redemption,
): Promise<void> {
  await work.transaction(async (work) => {
    const [row] = await work.store.run(
      `UPDATE sign_in_codes SET granted = false
       WHERE store_id = $1 AND code_hash = $2 AND granted AND realm_id = $3 AND redirect_uri = $4
         AND code_challenge = $5 RETURNING user_authentication_info_id`,
      hashOf(code),
      realmId,
      redirectUri,
      hashOf(codeVerifier),
    )
    if (!row) return
    await revokeTokensOf(work, [row[0] as string])
    const about = { user: row[0], request_id: work.requestId }
    work.instance.log.warn(about, 'sign-in: a code was used twice, so the tokens of its user were revoked')
  })
}

/** Deletes expired requests and codes. Requests stay for half an hour longer, so that the storefront gets an error. */
export const forgetSignIns: Chore = {
  name: 'oidc:forget-sign-ins',
  attemptsMax: 1,
  every: '*/10 * * * *',
  run: async ({ database }) => {
    for (const text of [
      `DELETE FROM sign_in_requests WHERE expires_at < now() - interval '30 minutes'`,
      'DELETE FROM sign_in_codes WHERE expires_at < now()',
    ]) {
      await database.run({ text, values: [] })
    }
  },
}
