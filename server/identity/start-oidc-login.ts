import { action } from '../kernel/action.ts'
import { noContent } from '../kernel/http/answer.ts'

/** Where a storefront sends the browser to sign in. Known, so that the links to it are no dead ends; not built yet. */
export const startOidcLogin = action({
  name: 'start-oidc-login',
  route: 'GET /oidc-idp/login/stores/:store_id/authentication-realms/:realm_id',
  about: 'Sends a browser to the OpenID Connect provider to sign in.',
  area: 'open',
  status: 200,
  unsupported: true,
  run: async () => noContent,
})
