import { resource } from '../../kernel/declare/resource.ts'
import { Problem } from '../../kernel/errors.ts'
import { choice, flag, text } from '../../kernel/shape/fields.ts'
import type { Draft } from '../../kernel/shape/model.ts'
import type { Rows } from '../../kernel/storage/store.ts'
import type { Work } from '../../kernel/work/context.ts'
import { authenticationRealms } from '../identity/authentication-realms.ts'
import { identityEnvelope } from '../identity/identity-envelope.ts'
import { lastStoreAdmin } from '../identity/last-store-admin.ts'
import { mustManageRealm } from '../identity/must-manage-realm.ts'
import { accountRealmId, merchantRealmId } from '../identity/store-realms.ts'
import { touchLinkedUsers } from '../identity/touch-users.ts'

/** The links of users to a profile. Only the table, because their resource depends on this one. */
const links: Rows = { table: 'user_authentication_password_profile_infos' }

export const passwordProfiles = resource({
  type: 'password_profile',
  noun: ['password-profile', 'password-profiles'],
  about: 'A set of usernames and passwords that account members, or colleagues, can sign in with.',
  path: '/v2/authentication-realms/:realm_id/password-profiles',
  table: 'password_profiles',
  addedUnder: 'password-profiles',
  parent: () => authenticationRealms,
  fields: {
    name: text({ required: true, min: 1, max: 255, about: 'The name in lists.', example: 'Passwords' }),
    username_format: choice(['any', 'email'], {
      default: 'any',
      about:
        'Whether a username must be an email address. A change applies only to usernames that are set later.',
    }),
    enable_one_time_password_token: flag({
      default: false,
      about: 'Whether users can request one-time passwords.',
    }),
  },
  area: 'authentication-realms',
  // A storefront must know how shoppers can sign in.
  visible: 'all',
  envelope: identityEnvelope,
  beforeWrite: async (work, draft) => {
    await mustManageRealm(work, draft.scope[0])
    await refuseOtherRealms(work, draft)
  },
  constraints: lastStoreAdmin,
  beforeDelete: async (work, profile) => {
    await mustManageRealm(work, profile.scope[0])
    await touchLinkedUsers(work, links, 'password_profile_id', profile)
  },
})

/**
 * Password profiles have no use in the realm of customers, who have their own passwords.
 */
async function refuseOtherRealms(work: Work, { scope: [realmId = ''], before }: Draft): Promise<void> {
  if (before) return
  const realms = [await accountRealmId(work), await merchantRealmId(work)]
  if (realms.includes(realmId.toLowerCase()) || !(await work.store.find(authenticationRealms, realmId)))
    return
  throw new Problem(
    'unprocessable',
    `Password profiles can be created only in the account management realm, which is ${realms[0]}, and in the realm of colleagues, which is ${realms[1]}.`,
    { source: 'realm_id' },
  )
}
