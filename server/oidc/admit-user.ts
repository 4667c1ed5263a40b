import { authenticationRealms, dropEmailClaim, type Users, type WhenUnlinked } from '../identity/index.ts'
import { Problem } from '../kernel/errors.ts'
import { newId } from '../kernel/ids.ts'
import type { Row } from '../kernel/shape/model.ts'
import type { Tuple } from '../kernel/storage/database.ts'
import type { Work } from '../kernel/work/context.ts'
import { add, insert } from '../kernel/write/by-rules.ts'
import { userAuthenticationPasswordProfileInfos } from '../passwords/index.ts'
import type { Identity } from './identify.ts'
import type { Person } from './person.ts'
import { SignInRefusal } from './sign-in-refusal.ts'
import { userAuthenticationOidcProfileInfos } from './user-authentication-oidc-profile-infos.ts'

/** Someone at a provider, as one profile of one realm sees them. */
export interface Newcomer {
  readonly realmId: string
  readonly profileId: string
  readonly identity: Identity
}

type EmailPolicy = Row<typeof authenticationRealms.fields>['doc']['duplicate_email_policy']

/**
 * What the realm does about a second user with an email address. Unless it does not care, first sign-ins are admitted
 * one after the other from here on, or two with one address would not see each other. Needs a transaction.
 */
export async function takeTurn(work: Work, realmId: string): Promise<EmailPolicy> {
  const policy =
    (await work.store.find(authenticationRealms, realmId))?.doc.duplicate_email_policy ?? 'allowed'
  if (policy === 'allowed') return policy
  await work.store.hold(authenticationRealms, realmId)
  return policy
}

/** Makes someone a user at their first sign-in, as the realm wants it. Needs a transaction, and its turn. */
export async function admitUser(
  work: Work,
  users: Users,
  whenUnlinked: WhenUnlinked,
  newcomer: Newcomer,
  person: Person,
  policy: EmailPolicy,
): Promise<void> {
  const { realmId, profileId, identity } = newcomer
  const { subject, issuer } = identity
  const link = { subject, issuer, oidc_profile_id: profileId }
  const existing = policy === 'allowed' ? undefined : await userToJoin(work, realmId, person, policy)
  if (existing) {
    const they = work.actingAs(existing.id)
    if (existing.emailClaimed) {
      await takeOver(they, realmId, existing.id, person.email)
      await whenUnlinked(they, [existing.id], true)
    }
    await add(they, userAuthenticationOidcProfileInfos, [realmId, existing.id], link)
    return
  }
  const { names, email, emailVerified } = person
  const id = newId()
  const they = work.actingAs(id)
  await add(they, users, [realmId], { ...names, email, email_claimed: !emailVerified }, id)
  // Not by the rules of the resource: they would count the link as a change of the user it is made with.
  await insert(they, userAuthenticationOidcProfileInfos, [realmId, id], link)
}

/**
 * The user with the same email, where the realm wants no second one; undefined when a new user is to be made. Those who
 * only claim the address are in nobody's way whose address it is.
 */
async function userToJoin(work: Work, realmId: string, person: Person, policy: EmailPolicy) {
  const [first, second] = await work.store.rows(
    `SELECT id, hidden->>'email_claimed' FROM user_authentication_infos WHERE store_id = $1 AND realm_id = $2
     AND lower(email COLLATE "default") = lower($3::text COLLATE "default")
     ORDER BY coalesce(hidden->>'email_claimed', 'false'), created_at, id LIMIT 2`,
    realmId,
    person.email,
  )
  if (!first) return undefined
  const isClaimed = (user: Tuple) => user[1] === 'true'
  const id = first[0] as string
  if (isClaimed(first) && person.emailVerified) return { id, emailClaimed: true }
  if (policy !== 'api_only') throw refused('Another user has this email address.')
  // Anyone can claim an address at some providers; whose it is, is what the provider must vouch for.
  if (!person.emailVerified) throw refused('The provider has not verified this email address.')
  if (second && !isClaimed(second)) throw refused('More than one user has this email address.')
  return { id, emailClaimed: false }
}

/**
 * The user only claimed the address, and here is someone who has it: whoever it was that made the claim has no way in
 * any more, or a stranger could wait in an account for its owner to come.
 */
async function takeOver(work: Work, realmId: string, userId: string, email: string): Promise<void> {
  // They have another address by now, or have shown that it is theirs; to look again is up to the caller.
  if (!(await dropEmailClaim(work, realmId, userId, email)))
    throw new Problem('conflict', 'The user has changed during the sign-in; try again.')
  for (const links of [userAuthenticationOidcProfileInfos, userAuthenticationPasswordProfileInfos]) {
    await work.store.removeAll(
      links,
      (bind) => `r.realm_id = ${bind(realmId)} AND r.user_authentication_info_id = ${bind(userId)}`,
    )
  }
}

const refused = (description: string) => new SignInRefusal('access_denied', description)
