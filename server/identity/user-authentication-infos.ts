import { resource } from '../kernel/declare/resource.ts'
import { choice, flag, text } from '../kernel/shape/fields.ts'
import { type FilterRule, indexed, walks } from '../kernel/shape/model.ts'
import { authenticationRealms } from './authentication-realms.ts'
import { currentPassword } from './current-password.ts'
import { identityEnvelope } from './envelope.ts'
import { ownUser } from './own-user.ts'

const namePart = (about: string, example: string) => text({ nullable: true, max: 255, about, example })

const named: FilterRule = { ops: ['eq', 'ilike', 'is_null'], caseless: true }

/** A user of a realm. What they sign in with is listed below them. */
export const userAuthenticationInfos = resource({
  type: 'user_authentication_info',
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
    // Whether nobody but the user says that the address is theirs: no administrator, no provider.
    email_claimed: flag({ hidden: true, readOnly: true }),
    // Whether a token was all that there was to show that the user wanted it: no code is sent there.
    email_unproven: flag({ hidden: true, readOnly: true }),
    current_password: currentPassword,
  },
  refuses: { update: ['rate_limited'] },
  filter: {
    ...walks,
    name: { ...indexed('eq', 'like', 'ilike'), caseless: true },
    email: { ...indexed('eq', 'like', 'ilike'), caseless: true },
    given_name: named,
    middle_name: named,
    family_name: named,
  },
  sort: ['created_at', 'email', 'id', 'name', 'updated_at'],
  area: 'user-authentication-info',
  visible: ownUser('id'),
  envelope: identityEnvelope,
  // A user is created by one request; there is no state before it.
  meta: {
    fields: { creation_status: choice(['COMPLETE'], { about: 'The status of the creation.' }) },
    of: () => ({ creation_status: 'COMPLETE' }),
  },
})
