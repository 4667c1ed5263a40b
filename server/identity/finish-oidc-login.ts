import { action } from '../kernel/action.ts'
import { noContent } from '../kernel/http/answer.ts'

/** Where the provider sends the browser back to. Known, so that the links to it are no dead ends; not built yet. */
export const finishOidcLogin = action({
  name: 'finish-oidc-login',
  route: 'GET /oidc-idp/callback/stores/:store_id/authentication-realms/:realm_id/oidc-profiles/:id',
  about: 'Where the OpenID Connect provider sends the browser back to.',
  area: 'open',
  status: 200,
  unsupported: true,
  run: async () => noContent,
})
