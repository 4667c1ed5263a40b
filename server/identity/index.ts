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

/**
 * What another module does about users whose provider no longer speaks for them, in the transaction that says so; or
 * who turn out to be someone else than whoever claimed to be them.
 */
export type WhenUnlinked = (work: Work, userIds: readonly string[], isSomeoneElse?: boolean) => Promise<void>

/** Users, with what other modules do about one who is new or gone, in the transaction that makes them so. */
export const usersWith = (
  whenCreated: (work: Work, user: User) => Promise<void>,
  whenUnlinked: WhenUnlinked,
): Users =>
  resource({
    ...userAuthenticationInfos,
    afterWrite: async (work, user, before) => {
      if (!before) await whenCreated(work, user)
    },
    afterDelete: (work, user) => whenUnlinked(work, [user.id]),
  })

export const identity = (users: Users): Module =>
  module({
    name: 'identity',
    about: 'Realms and their users.',
    resources: [authenticationRealms, merchantRealmMappings, users],
    actions: [getCustomerAuthenticationSettings, getOwnMerchantRealmMapping],
    firstDay: createRealms,
  })
