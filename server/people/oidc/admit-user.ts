import { Problem } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import type { Row } from '../../kernel/shape/model.ts'
import type { Tuple } from '../../kernel/storage/database.ts'
import { caseless } from '../../kernel/storage/expressions.ts'
import type { Work } from '../../kernel/work/context.ts'
import { add, insert } from '../../kernel/write/by-rules.ts'
import { authenticationRealms } from '../identity/authentication-realms.ts'
import { dropEmailClaim } from '../identity/touch-users.ts'
import { userAuthenticationInfos } from '../identity/user-authentication-infos.ts'
import { findAwaitedUser, onUsersUnlinked } from '../identity/user-hooks.ts'
import { userAuthenticationPasswordProfileInfos } from '../passwords/user-authentication-password-profile-infos.ts'
import type { Identity } from './identify.ts'
import type { PersonClaims } from './person.ts'
import { SignInRefusal } from './sign-in-refusal.ts'
import { userAuthenticationOidcProfileInfos } from './user-authentication-oidc-profile-infos.ts'

/** A person at a provider, as a profile of a realm identifies them. */
export interface Newcomer {
  readonly realmId: string
  readonly profileId: string
  readonly identity: Identity
}

type EmailPolicy = Row<typeof authenticationRealms.fields>['doc']['duplicate_email_policy']

/**
 * Returns the realm's policy on duplicate email addresses. Unless the policy allows duplicates, it also locks the
 * realm, so that two first sign-ins with the same address see each other. Needs a transaction.
 */
export async function lockAdmission(work: Work, realmId: string): Promise<EmailPolicy> {
  const policy =
    (await work.store.find(authenticationRealms, realmId))?.doc.duplicate_email_policy ?? 'allowed'
  if (policy === 'allowed') return policy
  await work.store.lock(authenticationRealms, realmId)
  return policy
}

/** Creates the user, or links an existing one, at a first sign-in. Needs the transaction of `lockAdmission`. */
export async function admitUser(
  work: Work,
  newcomer: Newcomer,
  person: PersonClaims,
  policy: EmailPolicy,
): Promise<void> {
  const { realmId, profileId, identity } = newcomer
  const { subject, issuer } = identity
  const link = { subject, issuer, oidc_profile_id: profileId }
  const awaited = person.emailVerified ? await findAwaitedUser(work, realmId, person.email) : undefined
  const existing = awaited?.isInvited
    ? { id: awaited.id, emailClaimed: false }
    : policy === 'allowed'
      ? undefined
      : await findUserToJoin(work, realmId, person, policy)
  // A user of their own would have no role, and keep the identity from the user whom a new invitation is for.
  if (!existing && awaited) throw accessDenied('The invitation has ended. Ask a Store Admin for another one.')
  if (existing) {
    const userWork = work.actingAs(existing.id)
    if (existing.emailClaimed) {
      await takeOver(userWork, realmId, existing.id, person.email)
      await onUsersUnlinked(userWork, [existing.id], true)
    }
    await add(userWork, userAuthenticationOidcProfileInfos, [realmId, existing.id], link)
    return
  }
  const { names, email, emailVerified } = person
  const id = newId()
  const userWork = work.actingAs(id)
  await add(
    userWork,
    userAuthenticationInfos,
    [realmId],
    { ...names, email, email_claimed: !emailVerified },
    id,
  )
  // Without the rules of the resource, which would treat the link as a change of an existing user.
  await insert(userWork, userAuthenticationOidcProfileInfos, [realmId, id], link)
}

/**
 * Finds the user with the same email, if the realm does not allow duplicates; undefined means that a new user is
 * needed. Users who only claim the address do not block the person whose address it is.
 */
async function findUserToJoin(work: Work, realmId: string, person: PersonClaims, policy: EmailPolicy) {
  const [first, second] = await work.store.run(
    `SELECT id, hidden->>'email_claimed' FROM user_authentication_infos WHERE store_id = $1 AND realm_id = $2
     AND ${caseless('email')} = ${caseless('$3::text')}
     ORDER BY coalesce(hidden->>'email_claimed', 'false'), created_at, id LIMIT 2`,
    realmId,
    person.email,
  )
  if (!first) return undefined
  const isClaimed = (user: Tuple) => user[1] === 'true'
  const id = first[0] as string
  if (isClaimed(first) && person.emailVerified) return { id, emailClaimed: true }
  if (policy !== 'api_only') throw accessDenied('Another user has this email address.')
  // At some providers anyone can claim an address, so the provider must have verified it.
  if (!person.emailVerified) throw accessDenied('The provider has not verified this email address.')
  if (second && !isClaimed(second)) throw accessDenied('More than one user has this email address.')
  return { id, emailClaimed: false }
}

/**
 * Gives the user to the verified owner of the address, and removes all earlier credentials. Otherwise a stranger could
 * claim an address and wait in the account for its owner.
 */
async function takeOver(work: Work, realmId: string, userId: string, email: string): Promise<void> {
  // The user has a new address by now, or has proven the address. The caller must look again.
  if (!(await dropEmailClaim(work, realmId, userId, email)))
    throw new Problem('conflict', 'The user has changed during the sign-in; try again.')
  for (const links of [userAuthenticationOidcProfileInfos, userAuthenticationPasswordProfileInfos]) {
    await work.store.removeAll(
      links,
      (bind) => `r.realm_id = ${bind(realmId)} AND r.user_authentication_info_id = ${bind(userId)}`,
    )
  }
}

const accessDenied = (description: string) => new SignInRefusal('access_denied', description)
