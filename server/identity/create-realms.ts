import { newId } from '../kernel/ids.ts'
import type { Connection } from '../kernel/storage/database.ts'
import type { Origin } from './authentication-realms.ts'

/** Gives a new store its three realms. They are made here only: the API can neither add nor delete one. */
export async function createRealms(connection: Connection, storeId: string, now: Date): Promise<void> {
  const insert = async (table: string, id: string, doc: object) => {
    await connection.run({
      text: `INSERT INTO ${table} (store_id, id, created_at, updated_at, doc) VALUES ($1, $2, $3, $3, $4)`,
      values: [storeId, id, now, JSON.stringify(doc)],
    })
    return id
  }
  const realm = (name: string, type: Origin, originId: string) =>
    insert('authentication_realms', newId(), {
      name,
      redirect_uris: [],
      duplicate_email_policy: 'allowed',
      relationships: { origin: { data: { id: originId, type } } },
    })

  // Settings are known by their store's id. The newest is the first of a list: that of account members comes last.
  await realm('Buyer Organization', 'customer-authentication-settings', storeId)
  const mappingId = newId()
  const merchantRealmId = await realm('Merchant Organization', 'merchant-realm-mappings', mappingId)
  await insert('merchant_realm_mappings', mappingId, {
    prefix: null,
    realm_id: merchantRealmId,
    store_id: storeId,
  })
  await realm('Account Management Realm', 'account_authentication_settings', storeId)
}
