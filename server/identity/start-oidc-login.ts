import { buildAuthorizationUrl } from 'openid-client'
import { action } from '../kernel/action.ts'
import type { Ctx } from '../kernel/context.ts'
import type { Answer } from '../kernel/http/answer.ts'
import type { Row } from '../kernel/resource.ts'
import type { authenticationRealms } from './authentication-realms.ts'
import { findRealm } from './find-realm.ts'
import { clientAt } from './identify.ts'
import { learnIssuer } from './learn-issuer.ts'
import { callbackUrlOf, oidcProfiles } from './oidc-profiles.ts'
import { converse } from './provider-refusal.ts'
import { type AskedSignIn, noProfile, readSignIn, storefrontOf, whyUnsafe } from './sign-in-parameters.ts'
import { goTo, refuseAt, refuseHere, SignInRefusal } from './sign-in-refusal.ts'
import { hashOf, keepSignInRequest, newSecret } from './sign-in-requests.ts'

/** Where a storefront sends the browser to sign in: an authentication request (OpenID Connect Core §3.1.2.1). */
export const startOidcLogin = action({
  name: 'start-oidc-login',
  route: 'GET /oidc-idp/login/stores/:store_id/authentication-realms/:realm_id',
  about:
    'Sends a browser to the OpenID Connect provider to sign in. In the query: `client_id`, `redirect_uri`, ' +
    '`response_type=code`, `scope`, `state`, `code_challenge_method=S256`, `code_challenge`, ' +
    '`elasticpath_commerce_cloud_profile_id`; optional `prompt`, `display`, `ui_locales`, which the provider reads.',
  area: 'open',
  storeIn: 'store_id',
  status: 303,

  async run(ctx, { params, query }) {
    const realm = await findRealm(ctx, params.realm_id)
    const asked = new URLSearchParams(query)
    const unsafe = whyUnsafe(realm, asked)
    if (unsafe) return refuseHere(unsafe)
    const storefront = storefrontOf(asked)
    try {
      return await sendToProvider(ctx, realm, storefront.redirectUri, readSignIn(asked))
    } catch (error) {
      if (error instanceof SignInRefusal) return refuseAt(storefront, error)
      throw error
    }
  },
})

async function sendToProvider(
  ctx: Ctx,
  realm: Row<typeof authenticationRealms.fields>,
  redirectUri: string,
  asked: AskedSignIn,
): Promise<Answer> {
  const profile = await ctx.store.findWhole(oidcProfiles, asked.profileId, [realm.id])
  if (!profile) throw noProfile()
  const { provider, config } = await converse(ctx, profile.id, () => clientAt(ctx, profile))
  await learnIssuer(ctx, profile, provider.metadata.issuer)
  const [nonce, codeVerifier] = [newSecret(), newSecret()]
  const callbackUrl = new URL(callbackUrlOf(profile, ctx)).href
  const { state: storefrontState, codeChallenge, reportsReplay } = asked
  const state = await keepSignInRequest(ctx, {
    realmId: realm.id,
    profileId: profile.id,
    callbackUrl,
    nonce,
    codeVerifier,
    redirectUri,
    state: storefrontState,
    codeChallenge,
    reportsReplay,
  })
  if (state === undefined) throw noProfile()
  const parameters = {
    ...asked.forwarded,
    scope: 'openid email profile',
    redirect_uri: callbackUrl,
    state,
    nonce,
    code_challenge: hashOf(codeVerifier),
    code_challenge_method: 'S256',
  }
  return converse(ctx, profile.id, async () => goTo(303, buildAuthorizationUrl(config, parameters).href))
}
