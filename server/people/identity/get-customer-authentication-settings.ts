import { action } from '../../kernel/declare/action.ts'
import { object } from '../../kernel/openapi/shapes.ts'
import { json } from '../../kernel/shape/answer.ts'
import { authenticationRealms, realmClients } from './authentication-realms.ts'
import { customerRealmId } from './store-realms.ts'

const id = { type: 'string', format: 'uuid' }
const shown = object({
  id,
  type: { const: 'customer-authentication-settings' },
  meta: object({ client_id: { type: 'string' } }),
  relationships: object({
    'authentication-realm': object({
      data: object({
        id,
        type: { const: 'authentication-realm' },
        links: object({ self: { type: 'string' } }),
      }),
    }),
  }),
})

/** The realm of the store's customers, and the client id that they sign in with. */
export const getCustomerAuthenticationSettings = action({
  name: 'get-customer-authentication-settings',
  route: 'GET /v2/settings/customer-authentication',
  about: 'Reads the realm that customers sign in to, and its client id.',
  area: 'settings',
  status: 200,
  shows: { data: shown },

  async run(ctx) {
    const id = await customerRealmId(ctx)
    const { type, path } = authenticationRealms
    const realm = { id, type, links: { self: `${ctx.baseUrl}${path}/${id}` } }
    return json(200, {
      data: {
        id: ctx.store.id,
        type: 'customer-authentication-settings',
        meta: { client_id: realmClients['customer-authentication-settings'] },
        relationships: { 'authentication-realm': { data: realm } },
      },
    })
  },
})
