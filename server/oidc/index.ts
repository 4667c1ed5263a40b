import type { Users, WhenUnlinked } from '../identity/index.ts'
import { type Module, module } from '../kernel/declare/module.ts'
import { finishOidcLogin } from './finish-oidc-login.ts'
import { forgetSignIns } from './forget-sign-ins.ts'
import { getOidcConfiguration } from './get-oidc-configuration.ts'
import { linksWith, profilesWith } from './linked-users.ts'
import { renewSeals } from './renew-seals.ts'
import { startOidcLogin } from './start-oidc-login.ts'

export { type Redemption, redeemSignInCode } from './sign-in-code.ts'

export const oidc = (users: Users, whenUnlinked: WhenUnlinked): Module =>
  module({
    name: 'oidc',
    about:
      'Sign-in at OpenID Connect providers: profiles, the identities of users, and the redirects of the browser.',
    resources: [profilesWith(whenUnlinked), linksWith(whenUnlinked)],
    actions: [startOidcLogin, finishOidcLogin(users, whenUnlinked), getOidcConfiguration],
    chores: [forgetSignIns],
    renewSeals,
  })
