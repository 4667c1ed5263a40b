import type { Ctx } from '../kernel/context.ts'
import { type Module, module } from '../kernel/module.ts'
import { type Resource, type Row, resource } from '../kernel/resource.ts'
import { authenticationRealms } from './authentication-realms.ts'
import { createOneTimePasswordTokenRequest } from './create-one-time-password-token-request.ts'
import { finishOidcLogin } from './finish-oidc-login.ts'
import { forgetSignIns } from './forget-sign-ins.ts'
import { getCustomerAuthenticationSettings } from './get-customer-authentication-settings.ts'
import { getOidcConfiguration } from './get-oidc-configuration.ts'
import { getOwnMerchantRealmMapping } from './get-own-merchant-realm-mapping.ts'
import { mailOneTimePassword } from './mail-one-time-password.ts'
import { merchantRealmMappings } from './merchant-realm-mappings.ts'
import { oidcProfiles } from './oidc-profiles.ts'
import { forgetOneTimePasswords, giveOneTimePassword } from './one-time-passwords.ts'
import { passwordProfiles } from './password-profiles.ts'
import { startOidcLogin } from './start-oidc-login.ts'
import { userAuthenticationInfos } from './user-authentication-infos.ts'
import { userAuthenticationOidcProfileInfos } from './user-authentication-oidc-profile-infos.ts'
import { userAuthenticationPasswordProfileInfos } from './user-authentication-password-profile-infos.ts'

export { createRealms } from './create-realms.ts'
export { currentPassword, mustKnowPassword } from './current-password.ts'
export { folded } from './folded.ts'
export { openOneTimePasswordEvent } from './one-time-passwords.ts'
export { realmClients } from './realm-clients.ts'
export { accountRealmId, customerRealmId } from './realm-ids.ts'
export { refuseCommonPassword } from './refuse-common-password.ts'
export { type Redemption, redeemSignInCode } from './sign-in-codes.ts'
export { nobodysHash, signInWithOneTimePassword, signInWithPassword } from './sign-in-with-password.ts'
export { type SignedIn, tokenEpochOf } from './user-tokens.ts'
export { userAuthenticationInfos, userAuthenticationPasswordProfileInfos }

/** What another module does about a new user, in the transaction that creates them. */
type WhenUserIsCreated = (ctx: Ctx, user: Row) => Promise<void>

export const identity = (whenUserIsCreated: WhenUserIsCreated): Module => {
  const users = usersWith(whenUserIsCreated)
  return module({
    name: 'identity',
    about: 'Realms, their users, and what users sign in with.',
    resources: [
      authenticationRealms,
      merchantRealmMappings,
      oidcProfiles,
      passwordProfiles,
      users,
      userAuthenticationOidcProfileInfos,
      userAuthenticationPasswordProfileInfos,
    ],
    actions: [
      getCustomerAuthenticationSettings,
      getOwnMerchantRealmMapping,
      createOneTimePasswordTokenRequest,
      startOidcLogin,
      finishOidcLogin(users),
      getOidcConfiguration,
    ],
    jobs: [forgetSignIns, giveOneTimePassword, forgetOneTimePasswords, mailOneTimePassword],
  })
}

const usersWith = (whenUserIsCreated: WhenUserIsCreated): Resource =>
  resource({
    ...userAuthenticationInfos,
    afterWrite: async (ctx, user, before) => {
      if (!before) await whenUserIsCreated(ctx, user)
    },
  })
