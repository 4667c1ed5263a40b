import { mustBeWithinLimits } from '../../kernel/attempts/attempts.ts'
import { slowHash } from '../../kernel/attempts/slow-hash.ts'
import { checker } from '../../kernel/body/checker.ts'
import { resource } from '../../kernel/declare/resource.ts'
import { Problem } from '../../kernel/errors.ts'
import { reference, text, type Values } from '../../kernel/shape/fields.ts'
import type { Draft, Row } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { isUnchanged } from '../../kernel/write/drafts.ts'
import { currentPassword, mustProveIdentity } from '../identity/current-password.ts'
import { identityEnvelope } from '../identity/identity-envelope.ts'
import { lastStoreAdmin } from '../identity/last-store-admin.ts'
import { mustManageRealm } from '../identity/must-manage-realm.ts'
import { mustManageOneself, ownUser } from '../identity/own-user.ts'
import { merchantRealmId } from '../identity/store-realms.ts'
import { mustHaveUser, signOutUser, touchUser } from '../identity/touch-users.ts'
import { userAuthenticationInfos } from '../identity/user-authentication-infos.ts'
import { type SignIn, tokenEpochOf } from '../identity/user-token-epoch.ts'
import { passwordProfiles } from './password-profiles.ts'
import { refuseCommonPassword } from './refuse-common-password.ts'
import { findUserWithPassword } from './sign-in-with-password.ts'

const noProfile = {
  code: 'unprocessable',
  detail: 'data.password_profile_id must be the id of a password profile of this realm.',
  source: 'data.password_profile_id',
} as const

const fields = {
  username: text({
    required: true,
    min: 1,
    max: 320,
    about: 'The username; unique in the password profile, regardless of case.',
    example: 'ada.marsh@example.com',
  }),
  // Long enough for any phrase, but bounded, because hashing takes time.
  password: text({
    required: true,
    stored: false,
    min: 8,
    max: 1024,
    about: 'The password. It is never shown: the server stores only a hash.',
    example: 'eleven horses by the river',
  }),
  current_password: currentPassword,
  password_hash: text({ hidden: true, readOnly: true }),
  password_profile_id: reference('password_profile', {
    required: true,
    immutable: true,
    about: 'The password profile, which must be in the same realm.',
  }),
}

export const userAuthenticationPasswordProfileInfos = resource({
  type: 'user_authentication_password_profile_info',
  noun: ['user-authentication-password-profile-info', 'user-authentication-password-profile-infos'],
  about: 'The username and password of a user in a password profile.',
  path: '/v2/authentication-realms/:realm_id/user-authentication-info/:user_authentication_info_id/user-authentication-password-profile-info',
  table: 'user_authentication_password_profile_infos',
  addedUnder: 'user-authentication-password-profile-info',
  personal: ['user_authentication_info_id'],
  parent: () => userAuthenticationInfos,
  fields,
  area: 'user-authentication-password-profile-info',
  visible: ownUser('user_authentication_info_id'),
  envelope: identityEnvelope,
  beforeWrite: prepare,
  refuses: { create: ['rate_limited'], update: ['rate_limited'] },
  beforeDelete: async (work, { scope }) => {
    await mustManageRealm(work, scope[0])
    await signOutUser(work, scope)
  },
  constraints: {
    ...lastStoreAdmin,
    user_authentication_password_profile_infos_profile_fkey: noProfile,
    user_authentication_password_profile_infos_username_key: {
      code: 'conflict',
      detail: 'The username is already taken in this password profile.',
      source: 'data.username',
    },
  },
})

const mustBeEmail = checker({ properties: { username: { type: 'string', format: 'email' } } }, 'data')

async function prepare(work: Work, draft: Draft<typeof fields>): Promise<void> {
  const { scope, values, before } = draft
  const { password, current_password } = values
  await mustManageRealm(work, scope[0])
  await mustManageOneself(work)
  if (!before) await mustHaveUser(work, scope)
  const isNewUsername = values.username !== before?.doc.username
  if (isNewUsername) {
    // A conflict reveals that the user exists, so a shopper can try only a few usernames.
    if (work.who.shopper)
      await mustBeWithinLimits(work, { action: 'change-username', owner: work.who.shopper.id })
    await checkUsername(work, scope, values)
  }
  if (password !== undefined) await checkNewPassword(work, scope[0], password)
  if (before && (isNewUsername || password !== undefined)) {
    await mustProveIdentity(work, {
      current: current_password,
      replacesPassword: password !== undefined,
      signIn: (current) => signIn(work, before, current),
    })
  }
  // Before the user is locked, because hashing is slow by design.
  if (password !== undefined) values.password_hash = await slowHash(work, password)
  if (isUnchanged(fields, draft)) return
  await (password === undefined ? touchUser : signOutUser)(work, scope)
}

/**
 * Replaces the password of a user who has just proven who they are, as `before` says, and revokes their tokens. Refuses
 * (409) if their credentials have changed since. Call it without a transaction: hashing is slow. `after` runs in its
 * transaction.
 */
export async function replacePassword<T>(
  work: Work,
  {
    id,
    scope,
    password,
  }: { readonly id: string; readonly scope: readonly string[]; readonly password: string },
  before: SignIn,
  after: (inside: Work) => Promise<T>,
): Promise<T> {
  await checkNewPassword(work, scope[0], password)
  const password_hash = await slowHash(work, password)
  return work.transaction(async (inside) => {
    await signOutUser(inside, scope)
    const changed = await inside.store.changeAll(userAuthenticationPasswordProfileInfos, {
      where: (bind) => `r.id = ${bind(id)}::uuid AND r.user_authentication_info_id = ${bind(scope[1])}::uuid`,
      hidden: (bind) =>
        `(r.hidden::jsonb || jsonb_build_object('password_hash', ${bind(password_hash)}::text))::json`,
    })
    const isSame = (await tokenEpochOf(inside, before.userId)) === before.tokenEpoch + 1
    if (!changed.length || !isSame)
      throw new Problem('conflict', 'Your password has changed a moment ago. Sign in again.')
    return after(inside)
  })
}

const colleaguePasswordMin = 12

/** A colleague's password opens the whole store, so its rules are always strict. */
async function checkNewPassword(work: Work, realmId: string | undefined, password: string): Promise<void> {
  const isColleague = realmId?.toLowerCase() === (await merchantRealmId(work))
  if (isColleague && password.length < colleaguePasswordMin) {
    const detail = `data.password must have at least ${colleaguePasswordMin} characters, because it is the password of a colleague.`
    throw new Problem('unprocessable', detail, { source: 'data.password' })
  }
  if (isColleague || work.instance.strictPasswords) await refuseCommonPassword(password)
}

const signIn = (work: Work, { scope: [realmId = ''], doc }: Row<typeof fields>, password: string) => {
  const { username, password_profile_id } = doc
  return findUserWithPassword(work, realmId, { username, password_profile_id, password })
}

async function checkUsername(
  work: Work,
  scope: readonly string[],
  { username, password_profile_id }: Values<typeof fields>,
): Promise<void> {
  const profile = await work.store.find(passwordProfiles, password_profile_id, scope.slice(0, 1))
  if (!profile) throw new Problem(noProfile.code, noProfile.detail, { source: noProfile.source })
  if (profile.doc.username_format === 'email') mustBeEmail({ username })
}
