import { fill } from '../../kernel/declare/hook.ts'
import { module } from '../../kernel/module.ts'
import { checkPasswordOf } from '../identity/user-hooks.ts'
import { createOneTimePasswordTokenRequest } from './create-one-time-password-token-request.ts'
import { forgetOneTimePasswords } from './forget-one-time-passwords.ts'
import { giveOneTimePassword } from './give-one-time-password.ts'
import { mailOneTimePassword } from './mail-one-time-password.ts'
import { passwordProfiles } from './password-profiles.ts'
import { findUserWithAnyPassword } from './sign-in-with-password.ts'
import { userAuthenticationPasswordProfileInfos } from './user-authentication-password-profile-infos.ts'

export const passwords = module({
  name: 'passwords',
  about: 'Password profiles, usernames and passwords of users, and one-time passwords.',
  resources: [passwordProfiles, userAuthenticationPasswordProfileInfos],
  actions: [createOneTimePasswordTokenRequest],
  jobs: [giveOneTimePassword, mailOneTimePassword],
  chores: [forgetOneTimePasswords],
  adds: [fill(checkPasswordOf, findUserWithAnyPassword)],
})
