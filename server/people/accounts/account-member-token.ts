import { errors, SignJWT } from 'jose'
import { verifyToken } from '../../kernel/auth/keys.ts'
import type { Shopper } from '../../kernel/auth/principal.ts'
import { unauthorized } from '../../kernel/auth/tokens.ts'
import type { Instance, ShopperToken } from '../../kernel/work/context.ts'
import type { SignIn } from '../identity/user-token-epoch.ts'
import { accountAuthenticationSettings } from './account-authentication-settings.ts'

/** The header with the token that identifies the member and the account. */
export const accountMemberTokenHeader = 'ep-account-management-authentication-token'

const kind = 'account-member'

/** The claims that all tokens of a sign-in share. */
export interface Session {
  readonly storeId: string
  readonly realmId: string
  readonly member: SignIn
  readonly selfManagement: string
  readonly signedInS: number
  readonly issuedS: number
  readonly expiresS: number
}

/** The account of a token. */
interface AccountScope {
  readonly id: string
  readonly ancestorIds: readonly string[]
}

/** A token (RFC 7519, signed with HS256) for one account of a member. */
export const signAccountMemberToken = (
  instance: Instance,
  session: Session,
  home: AccountScope,
): Promise<string> =>
  new SignJWT({
    scope: home.id,
    store_id: session.storeId,
    realm_id: session.realmId,
    // From the root down, separated by spaces as scopes are (RFC 6749 §3.3).
    ancestors: home.ancestorIds.join(' '),
    account_member_self_management: session.selfManagement,
    epoch: session.member.tokenEpoch,
    // OpenID Connect Core §2. A token that was issued for another token keeps the time of that sign-in.
    auth_time: session.signedInS,
  })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setSubject(session.member.userId)
    .setIssuedAt(session.issuedS)
    .setExpirationTime(session.expiresS)
    .sign(instance.shopperTokenKeys(kind)[0])

interface AccountClaims {
  readonly sub: string
  readonly scope: string
  readonly store_id: string
  readonly realm_id: string
  readonly epoch: number
  readonly iat: number
  /** Absent in tokens of earlier versions, which count from `iat`. */
  readonly auth_time?: number
}

/**
 * The token that identifies the member and the account. The token is checked against the current state: the member may
 * have left the account, or changed their credentials. The current setting decides what members can change themselves.
 */
export const accountMemberToken: ShopperToken = {
  header: accountMemberTokenHeader,
  kind,
  async verify(instance, storeId, token): Promise<Shopper> {
    const { sub, scope, store_id, realm_id, epoch, iat, auth_time = iat } = await open(instance, token)
    if (store_id !== storeId) throw unauthorized('The account management token belongs to another store.')
    const [row] = await instance.database.quick({
      text: `SELECT coalesce(e.epoch, 0), s.doc->>'account_member_self_management'
             FROM account_memberships m
             LEFT JOIN user_token_epochs e ON e.store_id = $1 AND e.user_id = $3
             LEFT JOIN singletons s ON s.store_id = $1 AND s.name = $4
             WHERE m.store_id = $1 AND m.account_id = $2 AND m.account_member_id = $3`,
      values: [storeId, scope, sub, accountAuthenticationSettings.name],
    })
    if (!row || Number(row[0]) !== epoch) {
      throw unauthorized('The account management token has been revoked; sign in again.')
    }
    const { account_member_self_management } = accountAuthenticationSettings.fields
    const selfManagement = row[1] ?? account_member_self_management.options.default
    return {
      id: sub,
      claims: {
        account_id: scope,
        realm_id,
        epoch,
        account_member_self_management: selfManagement,
      },
      session: { signed_in_s: auth_time },
    }
  },
}

async function open({ shopperTokenKeys, clock }: Instance, token: string): Promise<AccountClaims> {
  try {
    return await verifyToken<AccountClaims>(shopperTokenKeys(kind), token, {
      requiredClaims: ['sub', 'iat', 'exp', 'scope', 'store_id', 'epoch'],
      currentDate: clock.now(),
    })
  } catch (error) {
    const isExpired = error instanceof errors.JWTExpired
    const detail = isExpired
      ? 'The account management token has expired.'
      : 'Unable to validate the account management token.'
    throw unauthorized(detail, error)
  }
}
