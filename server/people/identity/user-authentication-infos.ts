import { resource } from '../../kernel/declare/resource.ts'
import { choice, flag, text } from '../../kernel/shape/fields.ts'
import { type FilterRule, indexed, walks } from '../../kernel/shape/model.ts'
import { announceEmailChange } from './announce-email-change.ts'
import { authenticationRealms } from './authentication-realms.ts'
import { currentPassword, mustProveIdentity } from './current-password.ts'
import { identityEnvelope } from './identity-envelope.ts'
import { lastStoreAdmin } from './last-store-admin.ts'
import { mustManageRealm } from './must-manage-realm.ts'
import { mustManageOneself, ownUser } from './own-user.ts'
import { checkPasswordOf, onUserCreated, onUsersUnlinked } from './user-hooks.ts'

const namePart = (about: string, example: string) => text({ nullable: true, max: 255, about, example })

const nameFilter: FilterRule = { ops: ['eq', 'ilike', 'is_null'], caseless: true }

const type = 'user_authentication_info'

/** A user of a realm. Their credentials are separate resources below the user. */
export const userAuthenticationInfos = resource({
  type,
  noun: ['user-authentication-info', 'user-authentication-infos'],
  about: 'A user of a realm: the person, without the credentials.',
  path: '/v2/authentication-realms/:realm_id/user-authentication-info',
  table: 'user_authentication_infos',
  addedUnder: 'user-authentication-info',
  personal: ['id'],
  parent: () => authenticationRealms,
  fields: {
    name: text({ required: true, min: 1, max: 512, about: 'The full name.', example: 'Ada Marsh' }),
    email: text({
      required: true,
      format: 'email',
      max: 320,
      about: 'The email address.',
      example: 'ada.marsh@example.com',
    }),
    given_name: namePart('The given name.', 'Ada'),
    middle_name: namePart('The middle name.', 'Louise'),
    family_name: namePart('The family name.', 'Marsh'),
    // Whether only the user claims that the address is theirs, and no administrator or provider confirms it.
    email_claimed: flag({ hidden: true, readOnly: true }),
    // Whether only a token proved that the user wanted this address: no one-time password is sent there.
    email_unproven: flag({ hidden: true, readOnly: true }),
    current_password: currentPassword,
  },
  refuses: { update: ['rate_limited'] },
  filter: {
    ...walks,
    name: { ...indexed('eq', 'like', 'ilike'), caseless: true },
    email: { ...indexed('eq', 'like', 'ilike'), caseless: true },
    given_name: nameFilter,
    middle_name: nameFilter,
    family_name: nameFilter,
  },
  sort: ['created_at', 'email', 'id', 'name', 'updated_at'],
  area: 'user-authentication-info',
  visible: ownUser('id'),
  envelope: identityEnvelope,
  // One request creates the whole user, so there is no other status.
  meta: {
    fields: { creation_status: choice(['COMPLETE'], { about: 'The status of the creation.' }) },
    of: () => ({ creation_status: 'COMPLETE' }),
  },
  beforeWrite: async (work, { scope: [realmId], values, before }) => {
    await mustManageRealm(work, realmId)
    await mustManageOneself(work)
    if (!before || values.email === before.doc.email) return
    const isProven = await mustProveIdentity(work, {
      current: values.current_password,
      replacesPassword: false,
      signIn: (password) => checkPasswordOf(work, before, password),
    })
    values.email_claimed = work.who.shopper && true
    values.email_unproven = work.who.shopper && !isProven ? true : undefined
  },
  constraints: lastStoreAdmin,
  afterWrite: async (work, user, before) => {
    if (!before) await onUserCreated(work, user)
    else if (user.doc.email !== before.doc.email) await announceEmailChange(work, { type }, user, before)
  },
  beforeDelete: (work, { scope: [realmId] }) => mustManageRealm(work, realmId),
  afterDelete: (work, user) => onUsersUnlinked(work, [user.id]),
})
