import { buildAuthorizationUrl } from 'openid-client'
import { isWithinRate } from '../../kernel/attempts/rates.ts'
import { action } from '../../kernel/declare/action.ts'
import type { Answer } from '../../kernel/shape/answer.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { findRealm } from '../identity/authentication-realms.ts'
import {
  callbackUrlOf,
  derivedIssuerOf,
  findProfile,
  type OidcProfile,
  oidcProfiles,
} from './oidc-profiles.ts'
import { clientAt } from './provider-client.ts'
import { converse } from './provider-refusal.ts'
import {
  findUnsafeReason,
  type LoginRequest,
  profileIdOf,
  profileRefusal,
  readSignIn,
  storefrontOf,
} from './read-sign-in.ts'
import { loginQuery } from './sign-in-query.ts'
import { redirectTo, refusalHere, refuseAt, refuseHere, SignInRefusal } from './sign-in-refusal.ts'
import { hashOf, newSecret, storeSignInRequest } from './sign-in-request.ts'
import { userAuthenticationOidcProfileInfos, withoutSlash } from './user-authentication-oidc-profile-infos.ts'

/** The address that storefronts redirect the browser to: an authentication request (OpenID Connect Core §3.1.2.1). */
export const startOidcLogin = action({
  name: 'start-oidc-login',
  route: 'GET /oidc-idp/login/stores/:store_id/authentication-realms/:realm_id',
  about: 'Redirects a browser to the OpenID Connect provider to sign in.',
  area: 'open',
  signsIn: true,
  storeIn: 'store_id',
  status: 303,
  // If the sign-in cannot start, the browser is redirected back with a 307.
  shows: { others: { 307: null, 400: refusalHere } },
  query: loginQuery,

  async run(ctx, { params, query }) {
    const parameters = new URLSearchParams(query)
    const [realm, profile] = await Promise.all([
      findRealm(ctx, params.realm_id),
      findProfile(ctx, params.realm_id, profileIdOf(parameters)),
    ])
    const unsafeReason = findUnsafeReason(realm, parameters, ctx.baseUrl)
    if (unsafeReason) return refuseHere(unsafeReason)
    const storefront = storefrontOf(parameters)
    try {
      const login = readSignIn(parameters)
      if (!profile) throw profileRefusal()
      if (!isWithinRate(ctx, 'signInStarts')) {
        throw new SignInRefusal(
          'temporarily_unavailable',
          'Too many sign-ins were started from this address; try again later.',
        )
      }
      return await sendToProvider(ctx, profile, storefront.redirectUri, login)
    } catch (error) {
      if (error instanceof SignInRefusal) return refuseAt(storefront, error)
      throw error
    }
  },
})

async function sendToProvider(
  ctx: Ctx,
  profile: OidcProfile,
  redirectUri: string,
  login: LoginRequest,
): Promise<Answer> {
  const { provider, config } = await converse(ctx, profile.id, () => clientAt(ctx, profile))
  await learnIssuer(ctx, profile, provider.metadata.issuer)
  const [nonce, codeVerifier] = [newSecret(), newSecret()]
  const callbackUrl = new URL(callbackUrlOf(profile, ctx)).href
  const { state: storefrontState, codeChallenge, reportsReplay } = login
  const state = await storeSignInRequest(ctx, {
    realmId: profile.scope[0] as string,
    profileId: profile.id,
    callbackUrl,
    nonce,
    codeVerifier,
    redirectUri,
    state: storefrontState,
    codeChallenge,
    reportsReplay,
  })
  const parameters = {
    ...login.forwarded,
    scope: 'openid email profile',
    redirect_uri: callbackUrl,
    state,
    nonce,
    code_challenge: hashOf(codeVerifier),
    code_challenge_method: 'S256',
  }
  return converse(ctx, profile.id, async () =>
    redirectTo(303, buildAuthorizationUrl(config, parameters).href),
  )
}

/**
 * Stores the issuer that the provider reports, which may differ from the one derived from its address, for example by a
 * trailing slash. Links with the derived issuer are updated too: nobody could have signed in with them.
 */
async function learnIssuer(ctx: Ctx, profile: OidcProfile, issuer: string): Promise<void> {
  if (issuer === profile.hidden.issuer) return
  const { id, scope, doc, hidden } = profile
  const guessedIssuer = derivedIssuerOf(doc.discovery_url)
  await ctx.transaction(async ({ store }) => {
    const changedProfiles = await store.changeAll(oidcProfiles, {
      where: (bind) =>
        `realm_id = ${bind(scope[0])} AND id = ${bind(id)} AND doc->>'discovery_url' = ${bind(doc.discovery_url)}
         AND hidden->>'issuer' IS NOT DISTINCT FROM ${bind(hidden.issuer ?? null)}::text`,
      hidden: (bind) => withIssuer('r.hidden', bind(issuer)),
    })
    // Only if the old issuer was derived: a provider that changes its reported issuer is another issuer.
    if (!changedProfiles.length || hidden.issuer || guessedIssuer === issuer) return
    await store.changeAll(userAuthenticationOidcProfileInfos, {
      where: (bind) =>
        `r.realm_id = ${bind(scope[0])} AND r.oidc_profile_id = ${bind(id)} AND r.issuer = ${bind(guessedIssuer)}
         AND NOT EXISTS (
           SELECT FROM user_authentication_oidc_profile_infos AS other
           WHERE other.store_id = $1 AND other.realm_id = r.realm_id AND other.oidc_profile_id = r.oidc_profile_id
             AND ${withoutSlash('other.issuer')} = ${withoutSlash(`${bind(issuer)}::text`)}
             AND other.subject = r.subject AND other.id <> r.id)`,
      doc: (bind) => withIssuer('r.doc', bind(issuer)),
    })
  })
}

const withIssuer = (column: string, issuer: string) =>
  `(${column}::jsonb || jsonb_build_object('issuer', ${issuer}::text))::json`
