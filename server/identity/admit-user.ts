import type { Ctx } from '../kernel/context.ts'
import type { Values } from '../kernel/fields.ts'
import { store } from '../kernel/operations.ts'
import type { Resource } from '../kernel/resource.ts'
import { authenticationRealms } from './authentication-realms.ts'
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

/** The id of the user whom this identity is. Nothing else makes someone a user: not their email, not their name. */
export async function findUserOf(
  ctx: Ctx,
  { realmId, profileId, identity: { issuer, subject } }: Newcomer,
): Promise<string | undefined> {
  const [row] = await ctx.store.rows(
    `SELECT user_authentication_info_id FROM user_authentication_oidc_profile_infos
     WHERE store_id = $1 AND realm_id = $2 AND oidc_profile_id = $3 AND issuer = $4 AND subject = $5`,
    realmId,
    profileId,
    issuer,
    subject,
  )
  return row?.[0] ?? undefined
}

/** Makes someone a user at their first sign-in, as the realm wants it. Needs a transaction. */
export async function admitUser(
  ctx: Ctx,
  users: Resource,
  newcomer: Newcomer,
  person: Person,
): Promise<string> {
  const { realmId, profileId, identity } = newcomer
  const link = {
    subject: identity.subject,
    issuer: identity.issuer,
    oidc_profile_id: profileId,
  } as Values<typeof userAuthenticationOidcProfileInfos.fields>
  const existing = await userToJoin(ctx, realmId, person)
  if (existing !== undefined) {
    await store(ctx, userAuthenticationOidcProfileInfos, [realmId, existing], link)
    return existing
  }
  const user = await store(ctx, users, [realmId], { ...person.names, email: person.email })
  // Not by the rules of the resource: they would count the link as a change of the user it is made with.
  await ctx.store.insert(userAuthenticationOidcProfileInfos, { scope: [realmId, user.id], values: link })
  return user.id
}

/** The user with the same email, where the realm wants no second one; undefined when a new user is to be made. */
async function userToJoin(ctx: Ctx, realmId: string, person: Person): Promise<string | undefined> {
  const realm = await ctx.store.find(authenticationRealms, realmId)
  const policy = realm?.doc.duplicate_email_policy
  if (policy === 'allowed') return undefined
  // First sign-ins are admitted one after the other, or two with one email would not see each other.
  await ctx.store.rows(
    'SELECT FROM authentication_realms WHERE store_id = $1 AND id = $2 FOR NO KEY UPDATE',
    realmId,
  )
  const [first, second] = await ctx.store.rows(
    `SELECT id FROM user_authentication_infos WHERE store_id = $1 AND realm_id = $2
     AND lower(email COLLATE "default") = lower($3::text COLLATE "default") LIMIT 2`,
    realmId,
    person.email,
  )
  if (!first) return undefined
  if (policy !== 'api_only') throw refused('Another user has this email address.')
  if (second) throw refused('Several users have this email address.')
  // Anyone can claim an address at some providers; whose it is, is what the provider must vouch for.
  if (!person.emailVerified) throw refused('The provider has not verified this email address.')
  return first[0] as string
}

const refused = (description: string) => new SignInRefusal('access_denied', description)
