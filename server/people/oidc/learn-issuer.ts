import type { Row } from '../../kernel/shape/model.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { derivedIssuerOf, oidcProfiles } from './oidc-profiles.ts'
import { userAuthenticationOidcProfileInfos, withoutSlash } from './user-authentication-oidc-profile-infos.ts'

/**
 * Stores the issuer that the provider reports, which may differ from the one derived from its address, for example by a
 * trailing slash. Links with the derived issuer are updated too: nobody could have signed in with them.
 */
export async function learnIssuer(
  ctx: Ctx,
  profile: Row<typeof oidcProfiles.fields>,
  issuer: string,
): Promise<void> {
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
