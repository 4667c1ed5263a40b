import type { UnlinkHandler, Users } from '../identity/index.ts'
import { type Module, module } from '../kernel/module.ts'
import { renewMember } from '../kernel/work/sealed-members.ts'
import { finishOidcLogin } from './finish-oidc-login.ts'
import { forgetSignIns } from './forget-sign-ins.ts'
import { getOidcConfiguration } from './get-oidc-configuration.ts'
import { defineLinks, defineProfiles } from './linked-users.ts'
import { startOidcLogin } from './start-oidc-login.ts'

export { redeemSignInCode } from './sign-in-code.ts'

export const oidc = (users: Users, onUnlinked: UnlinkHandler): Module =>
  module({
    name: 'oidc',
    about:
      'Sign-in at OpenID Connect providers: profiles, the identities of users, and the redirects of the browser.',
    resources: [defineProfiles(onUnlinked), defineLinks(onUnlinked)],
    actions: [startOidcLogin, finishOidcLogin(users, onUnlinked), getOidcConfiguration],
    chores: [forgetSignIns],
    renewSeals: renewMember({
      table: 'oidc_profiles',
      member: 'client_secret',
      name: 'id',
      describe: (id) => `the client secret of the OIDC profile ${id}`,
    }),
  })
