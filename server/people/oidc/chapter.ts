import { module } from '../../kernel/module.ts'
import { renewMember } from '../../kernel/work/sealed-members.ts'
import { finishOidcLogin } from './finish-oidc-login.ts'
import { forgetSignIns } from './forget-sign-ins.ts'
import { getOidcConfiguration } from './get-oidc-configuration.ts'
import { oidcProfiles } from './oidc-profiles.ts'
import { startOidcLogin } from './start-oidc-login.ts'
import { userAuthenticationOidcProfileInfos } from './user-authentication-oidc-profile-infos.ts'

export const oidc = module({
  name: 'oidc',
  about:
    'Sign-in at OpenID Connect providers: profiles, the identities of users, and the redirects of the browser.',
  resources: [oidcProfiles, userAuthenticationOidcProfileInfos],
  actions: [startOidcLogin, finishOidcLogin, getOidcConfiguration],
  chores: [forgetSignIns],
  renewSeals: renewMember({
    table: 'oidc_profiles',
    member: 'client_secret',
    name: 'id',
    describe: (id) => `the client secret of the OIDC profile ${id}`,
  }),
})
