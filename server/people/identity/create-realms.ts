import { newId } from '../../kernel/ids.ts'
import type { Work } from '../../kernel/work/context.ts'
import { add } from '../../kernel/write/by-rules.ts'
import { authenticationRealms, type Origin } from './authentication-realms.ts'
import { merchantRealmMappings } from './merchant-realm-mappings.ts'

/** Creates the three realms of a new store. The API can neither create nor delete realms. */
export async function createRealms(work: Work): Promise<void> {
  const realm = async (name: string, type: Origin, id: string) => {
    const relationships = { origin: { data: { id, type } } }
    return (await add(work, authenticationRealms, [], { name, relationships })).id
  }

  // The id of the settings is the id of the store. Lists show the newest first, so the account realm is created last.
  const storeId = work.store.id
  await realm('Buyer Organization', 'customer-authentication-settings', storeId)
  const mappingId = newId()
  const realm_id = await realm('Merchant Organization', 'merchant-realm-mappings', mappingId)
  await add(work, merchantRealmMappings, [], { prefix: null, realm_id, store_id: storeId }, mappingId)
  await realm('Account Management Realm', 'account_authentication_settings', storeId)
}
