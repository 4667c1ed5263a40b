import type { Work } from '../kernel/context.ts'
import { type Module, module } from '../kernel/module.ts'
import { type Row, resource } from '../kernel/resource.ts'
import { authenticationRealms } from './authentication-realms.ts'
import { createRealms } from './create-realms.ts'
import { getCustomerAuthenticationSettings } from './get-customer-authentication-settings.ts'
import { getOwnMerchantRealmMapping } from './get-own-merchant-realm-mapping.ts'
import { merchantRealmMappings } from './merchant-realm-mappings.ts'
import { userAuthenticationInfos } from './user-authentication-infos.ts'

export { identityEnvelope } from './envelope.ts'
export { findRealm } from './find-realm.ts'
export { folded } from './folded.ts'
export { mustManageOneself, ownUser } from './own-user.ts'
export { realmClients } from './realm-client.ts'
export { accountRealmId, customerRealmId } from './realm-id.ts'
export { touchLinkedUsers } from './touch-linked-users.ts'
export { mustHaveUser, signOutUser, touchUser } from './touch-user.ts'
export { endTokensOf, type SignedIn, tokenEpochOf } from './user-token-epoch.ts'
export { authenticationRealms, userAuthenticationInfos }

/** Users, as their realm has them. */
export type Users = typeof userAuthenticationInfos
type User = Row<Users['fields']>

/** Users, with what another module does about a new one in the transaction that creates them. */
export const usersWith = (whenUserIsCreated: (work: Work, user: User) => Promise<void>): Users =>
  resource({
    ...userAuthenticationInfos,
    afterWrite: async (work, user, before) => {
      if (!before) await whenUserIsCreated(work, user)
    },
  })

export const identity = (users: Users): Module =>
  module({
    name: 'identity',
    about: 'Realms and their users.',
    resources: [authenticationRealms, merchantRealmMappings, users],
    actions: [getCustomerAuthenticationSettings, getOwnMerchantRealmMapping],
    firstDay: createRealms,
  })
