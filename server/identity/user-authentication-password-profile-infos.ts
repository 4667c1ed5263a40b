import { hash } from '@node-rs/argon2'
import type { Ctx } from '../kernel/context.ts'
import { Problem } from '../kernel/errors.ts'
import { reference, text } from '../kernel/fields.ts'
import { checker } from '../kernel/input.ts'
import { type Draft, dialects, resource } from '../kernel/resource.ts'
import { mustManageOneself, ownUser } from './own-user.ts'
import { passwordProfiles } from './password-profiles.ts'
import { mustHaveUser, signOutUser, touchUser } from './touch-user.ts'
import { userAuthenticationInfos } from './user-authentication-infos.ts'

const noProfile = {
  code: 'unprocessable',
  detail: 'data.password_profile_id must be the id of a password profile of this realm.',
  source: 'data.password_profile_id',
} as const

/** The username and password of a user in one password profile. */
export const userAuthenticationPasswordProfileInfos = resource({
  type: 'user_authentication_password_profile_info',
  noun: ['user-authentication-password-profile-info', 'user-authentication-password-profile-infos'],
  about: 'The username and password of a user in one password profile.',
  path: '/v2/authentication-realms/:realm_id/user-authentication-info/:user_authentication_info_id/user-authentication-password-profile-info',
  table: 'user_authentication_password_profile_infos',
  parent: () => userAuthenticationInfos,
  fields: {
    username: text({
      required: true,
      min: 1,
      max: 320,
      about: 'Unique in the password profile, in upper and lower case alike.',
      example: 'ada.marsh@example.com',
    }),
    // Long enough for any phrase; bounded, because hashing takes time.
    password: text({
      required: true,
      hidden: true,
      min: 8,
      max: 1024,
      about: 'Never shown again: the server keeps a hash.',
      example: 'eleven horses by the river',
    }),
    password_profile_id: reference('password-profile', {
      required: true,
      immutable: true,
      about: 'The password profile, of the same realm.',
    }),
  },
  area: 'user-authentication-password-profile-info',
  visible: ownUser('user_authentication_info_id'),
  dialect: dialects.identity,
  beforeWrite: prepare,
  beforeDelete: (ctx, { scope }) => signOutUser(ctx, scope),
  constraints: {
    user_authentication_password_profile_infos_profile_fkey: noProfile,
    user_authentication_password_profile_infos_username_key: {
      code: 'conflict',
      detail: 'The username is already taken in this password profile.',
      source: 'data.username',
    },
  },
})

const mustBeEmail = checker({ properties: { username: { type: 'string', format: 'email' } } }, 'data')

async function prepare(ctx: Ctx, { scope, values, before }: Draft): Promise<void> {
  mustManageOneself(ctx)
  if (!before) await mustHaveUser(ctx, scope)
  if (values.username !== before?.doc.username) await checkUsername(ctx, scope, values)
  // Before the user is held: hashing is meant to be slow.
  const same = before && values.password === before.hidden.password
  if (!same) values.password = await hash(values.password as string)
  await (same ? touchUser : signOutUser)(ctx, scope)
}

async function checkUsername(ctx: Ctx, scope: Draft['scope'], values: Draft['values']): Promise<void> {
  const profile = await ctx.store.find(
    passwordProfiles,
    values.password_profile_id as string,
    scope.slice(0, 1),
  )
  if (!profile) throw new Problem(noProfile.code, noProfile.detail, { source: noProfile.source })
  if (profile.doc.username_format === 'email') mustBeEmail({ username: values.username })
}
