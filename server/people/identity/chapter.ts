import { module } from '../../kernel/module.ts'
import { mailEmailChange } from './announce-email-change.ts'
import { authenticationRealms } from './authentication-realms.ts'
import { createRealms } from './create-realms.ts'
import { getCustomerAuthenticationSettings } from './get-customer-authentication-settings.ts'
import { getOwnMerchantRealmMapping } from './get-own-merchant-realm-mapping.ts'
import { merchantRealmMappings } from './merchant-realm-mappings.ts'
import { userAuthenticationInfos } from './user-authentication-infos.ts'

export const identity = module({
  name: 'identity',
  about: 'Authentication realms and their users.',
  resources: [authenticationRealms, merchantRealmMappings, userAuthenticationInfos],
  actions: [getCustomerAuthenticationSettings, getOwnMerchantRealmMapping],
  jobs: [mailEmailChange],
  firstDay: createRealms,
})
