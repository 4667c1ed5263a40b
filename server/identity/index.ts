import { module } from '../kernel/module.ts'
import { mailEmailChange } from './announce-email-change.ts'
import { authenticationRealms } from './authentication-realms.ts'
import { createRealms } from './create-realms.ts'
import { getCustomerAuthenticationSettings } from './get-customer-authentication-settings.ts'
import { getOwnMerchantRealmMapping } from './get-own-merchant-realm-mapping.ts'
import { merchantRealmMappings } from './merchant-realm-mappings.ts'
import { userAuthenticationInfos } from './user-authentication-infos.ts'

export { announceEmailChange } from './announce-email-change.ts'
export { currentPassword, mustProveIdentity } from './current-password.ts'
export { dropEmailClaim } from './drop-email-claim.ts'
export { identityEnvelope } from './envelope.ts'
export { findRealm } from './find-realm.ts'
export { foldCase } from './fold-case.ts'
export { mustManageOneself, ownUser } from './own-user.ts'
export { realmClients } from './realm-client.ts'
export { accountRealmId, customerRealmId } from './realm-id.ts'
export { touchLinkedUsers } from './touch-linked-users.ts'
export { mustHaveUser, signOutUser, touchUser } from './touch-user.ts'
export { checkPasswordOf, type NewUser, onUserCreated, onUsersUnlinked } from './user-hooks.ts'
export { revokeTokensOf, type SignIn, tokenEpochOf } from './user-token-epoch.ts'
export { authenticationRealms, userAuthenticationInfos }

export const identity = module({
  name: 'identity',
  about: 'Authentication realms and their users.',
  resources: [authenticationRealms, merchantRealmMappings, userAuthenticationInfos],
  actions: [getCustomerAuthenticationSettings, getOwnMerchantRealmMapping],
  jobs: [mailEmailChange],
  firstDay: createRealms,
})
