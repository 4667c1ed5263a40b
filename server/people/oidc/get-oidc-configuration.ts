import { action } from '../../kernel/declare/action.ts'
import { notFound } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { json } from '../../kernel/shape/answer.ts'
import { reference } from '../../kernel/shape/fields.ts'
import { type ShownValue, shown } from '../../kernel/shape/shown.ts'
import { findRealm } from '../identity/authentication-realms.ts'
import { oidcProfiles } from './oidc-profiles.ts'

const words = shown.list(shown.text)
const configuration = shown.group({
  issuer: shown.uri,
  authorization_endpoint: shown.uri,
  token_endpoint: shown.uri,
  jwks_uri: shown.uri,
  response_types_supported: words,
  subject_types_supported: words,
  id_token_signing_alg_values_supported: words,
  scopes_supported: words,
  code_challenge_methods_supported: words,
  token_endpoint_auth_methods_supported: shown.text,
})

/** Describes the realm as an OpenID Connect provider, for libraries that require discovery (Discovery §3). */
export const getOidcConfiguration = action({
  name: 'get-oidc-configuration',
  route: 'GET /oidc-idp/stores/:store_id/authentication-realms/:realm_id/.well-known/openid-configuration',
  about: 'Reads the OpenID Connect discovery document of the realm, for the client libraries of storefronts.',
  area: 'open',
  storeIn: 'store_id',
  status: 200,
  query: {
    elasticpath_commerce_cloud_profile_id: reference('oidc-profile', {
      about: 'The OIDC profile to sign in with; the `authorization_endpoint` then contains it.',
    }),
  },
  shows: { body: configuration },

  async run(ctx, { params, query }) {
    const realm = await findRealm(ctx, params.realm_id)
    const profileId = new URLSearchParams(query).get('elasticpath_commerce_cloud_profile_id')
    if (profileId !== null) {
      const profile = isId(profileId) && (await ctx.store.find(oidcProfiles, profileId, [realm.id]))
      if (!profile) throw notFound('oidc profile', profileId)
    }
    const idp = `${ctx.baseUrl}/oidc-idp`
    const at = `stores/${ctx.store.id}/authentication-realms/${realm.id}`
    const chosen = profileId === null ? '' : `?elasticpath_commerce_cloud_profile_id=${profileId}`
    return json(200, {
      issuer: `${idp}/${at}`,
      authorization_endpoint: `${idp}/login/${at}${chosen}`,
      // Required by the standard, but not served: storefronts exchange the code at the API.
      token_endpoint: `${idp}/token/${at}`,
      jwks_uri: `${idp}/.well-known/jwks.json`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      scopes_supported: ['openid', 'email', 'profile'],
      code_challenge_methods_supported: ['S256'],
      // A string and not a list, as in the public contract.
      token_endpoint_auth_methods_supported: 'client_secret_basic',
    } satisfies ShownValue<typeof configuration>)
  },
})
