import { action } from '../../kernel/declare/action.ts'
import { newId } from '../../kernel/ids.ts'
import { Memory } from '../../kernel/memory.ts'
import { json } from '../../kernel/shape/answer.ts'
import { relationshipTo, type ShownValue, shown } from '../../kernel/shape/shown.ts'
import type { Work } from '../../kernel/work/context.ts'
import { perInstance } from '../../kernel/work/per-instance.ts'
import { add } from '../../kernel/write/by-rules.ts'
import { authenticationRealms, type Origin, realmClients } from './authentication-realms.ts'
import { merchantRealmMappings } from './merchant-realm-mappings.ts'

// The realms of a store never change, so the cache is always right.
const realmIds = perInstance(() => new Memory<string, string>(10_000))

async function realmIdOf(work: Work, origin: Origin): Promise<string> {
  const cache = realmIds(work.instance)
  const key = `${work.store.id} ${origin}`
  const cachedId = cache.get(key)
  if (cachedId) return cachedId
  const [row] = await work.store.read(
    'SELECT id FROM authentication_realms WHERE store_id = $1 AND origin = $2',
    origin,
  )
  if (!row?.[0]) throw new Error(`store ${work.store.id} has no realm of ${origin}`)
  cache.set(key, row[0])
  return row[0]
}

/** The realm of the store's account members. */
export const accountRealmId = async (work: Work): Promise<string> =>
  realmIdOf(work, 'account_authentication_settings')

/** The realm of the store's customers. */
export const customerRealmId = async (work: Work): Promise<string> =>
  realmIdOf(work, 'customer-authentication-settings')

/** The realm of the store's colleagues. */
export const merchantRealmId = async (work: Work): Promise<string> =>
  realmIdOf(work, 'merchant-realm-mappings')

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

const settings = shown.group({
  id: shown.uuid,
  type: shown.constant('customer-authentication-settings'),
  meta: shown.group({ client_id: shown.text }),
  relationships: shown.group({
    'authentication-realm': relationshipTo(
      shown.group({
        id: shown.uuid,
        type: shown.constant('authentication-realm'),
        links: shown.group({ self: shown.text }),
      }),
    ),
  }),
})

/** The realm of the store's customers, and the client id that they sign in with. */
export const getCustomerAuthenticationSettings = action({
  name: 'get-customer-authentication-settings',
  route: 'GET /v2/settings/customer-authentication',
  about: 'Reads the realm that customers sign in to, and its client id.',
  area: 'settings',
  status: 200,
  shows: { data: settings },

  async run(ctx) {
    const id = await customerRealmId(ctx)
    const links = { self: `${ctx.baseUrl}${authenticationRealms.path}/${id}` }
    const data: ShownValue<typeof settings> = {
      id: ctx.store.id,
      type: 'customer-authentication-settings',
      meta: { client_id: realmClients['customer-authentication-settings'] },
      relationships: { 'authentication-realm': { data: { id, type: 'authentication-realm', links } } },
    }
    return json(200, { data })
  },
})
