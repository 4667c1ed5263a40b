import type { Row } from '../kernel/shape/model.ts'
import type { Ctx } from '../kernel/work/context.ts'
import { derivedIssuerOf, oidcProfiles } from './oidc-profiles.ts'
import { userAuthenticationOidcProfileInfos } from './user-authentication-oidc-profile-infos.ts'

/**
 * Keeps what a provider calls itself, which need not be what its address says: some end theirs with a slash. Links
 * that were given the address's word for it, for want of a better one, move along; no one could sign in by them.
 */
export async function learnIssuer(
  ctx: Ctx,
  profile: Row<typeof oidcProfiles.fields>,
  issuer: string,
): Promise<void> {
  if (issuer === profile.hidden.issuer) return
  const { id, scope, doc, hidden } = profile
  const told = derivedIssuerOf(doc.discovery_url)
  await ctx.transaction(async ({ store }) => {
    const learnt = await store.changeAll(oidcProfiles, {
      where: (bind) =>
        `realm_id = ${bind(scope[0])} AND id = ${bind(id)} AND doc->>'discovery_url' = ${bind(doc.discovery_url)}
         AND hidden->>'issuer' IS NOT DISTINCT FROM ${bind(hidden.issuer ?? null)}::text`,
      hidden: (bind) => withIssuer('r.hidden', bind(issuer)),
    })
    // Only from what was never more than a guess: a provider that takes another name is another issuer.
    if (!learnt.length || hidden.issuer || told === issuer) return
    await store.changeAll(userAuthenticationOidcProfileInfos, {
      where: (bind) =>
        `r.realm_id = ${bind(scope[0])} AND r.oidc_profile_id = ${bind(id)} AND r.issuer = ${bind(told)}
         AND NOT EXISTS (
           SELECT FROM user_authentication_oidc_profile_infos AS other
           WHERE other.store_id = $1 AND other.realm_id = r.realm_id AND other.oidc_profile_id = r.oidc_profile_id
             AND other.issuer = ${bind(issuer)} AND other.subject = r.subject)`,
      doc: (bind) => withIssuer('r.doc', bind(issuer)),
    })
  })
}

const withIssuer = (column: string, issuer: string) =>
  `(${column}::jsonb || jsonb_build_object('issuer', ${issuer}::text))::json`
