import { unauthorized } from '../kernel/auth/tokens.ts'
import type { Ctx } from '../kernel/context.ts'
import type { Row } from '../kernel/resource.ts'
import { hashOf, newSecret, type SignInRequest } from './sign-in-requests.ts'
import { userAuthenticationInfos } from './user-authentication-infos.ts'

/** A storefront changes the code at once: it has no reason to wait. */
const lifetime = '5 minutes'

/** A code for the storefront that asked, good once; undefined when the user is gone. */
export async function issueSignInCode(
  ctx: Ctx,
  { realmId, redirectUri, codeChallenge }: SignInRequest,
  userId: string,
): Promise<string | undefined> {
  const code = newSecret()
  const stored = await ctx.store.rows(
    `INSERT INTO sign_in_codes
       (store_id, code_hash, expires_at, realm_id, user_authentication_info_id, redirect_uri, code_challenge)
     SELECT store_id, $2, $3::timestamptz + interval '${lifetime}', realm_id, id, $6, $7
     FROM user_authentication_infos WHERE store_id = $1 AND realm_id = $4 AND id = $5 FOR KEY SHARE RETURNING 1`,
    hashOf(code),
    ctx.clock.now(),
    realmId,
    userId,
    redirectUri,
    codeChallenge,
  )
  return stored.length ? code : undefined
}

/** What a storefront brings to change a code for a token. */
export interface Redemption {
  readonly code: string
  readonly redirectUri: string
  readonly codeVerifier: string
}

/** Who a code was good for, and the epoch that their tokens have: see SignedIn. */
interface Redeemed {
  readonly user: Row<typeof userAuthenticationInfos.fields>
  readonly tokenEpoch: number
}

/**
 * The user who signed in to the realm with this code; a Problem (401) when the code is not good. Whatever comes of it,
 * the code is used up: one that was tried with another verifier has been seen by someone else. Within a transaction
 * that holds only once it commits. Their epoch is of the same look: a user whose tokens are ended meanwhile gets tokens
 * that are ended.
 */
export async function redeemSignInCode(
  ctx: Ctx,
  realmId: string,
  { code, redirectUri, codeVerifier }: Redemption,
): Promise<Redeemed> {
  const [row] = await ctx.store.rows(
    `DELETE FROM sign_in_codes c WHERE store_id = $1 AND code_hash = $2
     RETURNING realm_id, user_authentication_info_id, redirect_uri, code_challenge, expires_at > $3,
       coalesce((SELECT epoch FROM user_token_epochs e
         WHERE e.store_id = $1 AND e.user_id = c.user_authentication_info_id), 0)`,
    hashOf(code),
    ctx.clock.now(),
  )
  const [realm, userId, address, challenge, alive, epoch] = row ?? []
  const good =
    alive === 't' && realm === realmId && address === redirectUri && challenge === hashOf(codeVerifier)
  const user = good && (await ctx.store.find(userAuthenticationInfos, userId as string, [realmId]))
  // One sentence for every reason: whoever guesses learns nothing.
  if (!user) throw unauthorized('The authorization code, its redirect URI or its code verifier is not valid.')
  return { user, tokenEpoch: Number(epoch) }
}
