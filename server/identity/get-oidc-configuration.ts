import { action } from '../kernel/action.ts'
import { noContent } from '../kernel/http/answer.ts'

/** The realm as an OpenID Connect provider, for libraries that ask for it. Known, so that the links to it are no dead ends; not built yet. */
export const getOidcConfiguration = action({
  name: 'get-oidc-configuration',
  route: 'GET /oidc-idp/stores/:store_id/authentication-realms/:realm_id/.well-known/openid-configuration',
  about: 'The OpenID Connect discovery document of the realm, for the libraries of storefronts.',
  area: 'open',
  status: 200,
  unsupported: true,
  run: async () => noContent,
})
