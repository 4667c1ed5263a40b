import { type Module, module } from '../kernel/declare/module.ts'
import { authenticationRealms } from './authentication-realms.ts'
import { createRealms } from './create-realms.ts'
import { getCustomerAuthenticationSettings } from './get-customer-authentication-settings.ts'
import { getOwnMerchantRealmMapping } from './get-own-merchant-realm-mapping.ts'
import { merchantRealmMappings } from './merchant-realm-mappings.ts'
import { mailEmailChange } from './tell-of-email-change.ts'
import { userAuthenticationInfos } from './user-authentication-infos.ts'
import type { Users } from './users-with.ts'

export { currentPassword, mustBeThemself } from './current-password.ts'
export { dropEmailClaim } from './drop-email-claim.ts'
export { identityEnvelope } from './envelope.ts'
export { findRealm } from './find-realm.ts'
export { folded } from './folded.ts'
export { mustManageOneself, ownUser } from './own-user.ts'
export { realmClients } from './realm-client.ts'
export { accountRealmId, customerRealmId } from './realm-id.ts'
export { tellOfEmailChange } from './tell-of-email-change.ts'
export { touchLinkedUsers } from './touch-linked-users.ts'
export { mustHaveUser, signOutUser, touchUser } from './touch-user.ts'
export { endTokensOf, type SignedIn, tokenEpochOf } from './user-token-epoch.ts'
export { type Users, usersWith, type WhenUnlinked } from './users-with.ts'
export { authenticationRealms, userAuthenticationInfos }

export const identity = (users: Users): Module =>
  module({
    name: 'identity',
    about: 'Authentication realms and their users.',
    resources: [authenticationRealms, merchantRealmMappings, users],
    actions: [getCustomerAuthenticationSettings, getOwnMerchantRealmMapping],
    jobs: [mailEmailChange],
    firstDay: createRealms,
  })
