import type { Users } from '../identity/index.ts'
import { type Module, module } from '../kernel/module.ts'
import { finishOidcLogin } from './finish-oidc-login.ts'
import { forgetSignIns } from './forget-sign-ins.ts'
import { getOidcConfiguration } from './get-oidc-configuration.ts'
import { oidcProfiles } from './oidc-profiles.ts'
import { startOidcLogin } from './start-oidc-login.ts'
import { userAuthenticationOidcProfileInfos } from './user-authentication-oidc-profile-infos.ts'

export { type Redemption, redeemSignInCode } from './sign-in-code.ts'

export const oidc = (users: Users): Module =>
  module({
    name: 'oidc',
    about: 'Signing in at OpenID Connect providers: profiles, the links of users, and the way of a browser.',
    resources: [oidcProfiles, userAuthenticationOidcProfileInfos],
    actions: [startOidcLogin, finishOidcLogin(users), getOidcConfiguration],
    chores: [forgetSignIns],
  })
