import { action } from '../../kernel/declare/action.ts'
import { json } from '../../kernel/shape/answer.ts'
import { relationshipTo, type ShownValue, shown } from '../../kernel/shape/shown.ts'
import { authenticationRealms, realmClients } from './authentication-realms.ts'
import { customerRealmId } from './store-realms.ts'

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
