import type { Ctx } from '../kernel/context.ts'
import { inTransaction } from '../kernel/in-transaction.ts'
import type { Row } from '../kernel/resource.ts'
import { derivedIssuerOf, type oidcProfiles } from './oidc-profiles.ts'

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
  const now = ctx.clock.now()
  await inTransaction(ctx, async ({ store }) => {
    const learnt = await store.write(
      `UPDATE oidc_profiles SET hidden = (hidden::jsonb || jsonb_build_object('issuer', $5::text))::json,
         version = version + 1, updated_at = greatest(updated_at, $8::timestamptz)
       FROM set_config('sutler.by', $2, true)
       WHERE store_id = $1 AND realm_id = $3 AND id = $4 AND doc->>'discovery_url' = $6
         AND hidden->>'issuer' IS NOT DISTINCT FROM $7::text RETURNING 1`,
      scope[0],
      id,
      issuer,
      doc.discovery_url,
      hidden.issuer ?? null,
      now,
    )
    // Only from what was never more than a guess: a provider that takes another name is another issuer.
    if (!learnt.length || hidden.issuer || told === issuer) return
    await store.write(
      `UPDATE user_authentication_oidc_profile_infos AS link
       SET doc = (link.doc::jsonb || jsonb_build_object('issuer', $5::text))::json,
         version = link.version + 1, updated_at = greatest(link.updated_at, $6::timestamptz)
       FROM set_config('sutler.by', $2, true)
       WHERE link.store_id = $1 AND link.realm_id = $3 AND link.oidc_profile_id = $4 AND link.issuer = $7
         AND NOT EXISTS (
           SELECT FROM user_authentication_oidc_profile_infos AS other
           WHERE other.store_id = $1 AND other.realm_id = $3 AND other.oidc_profile_id = $4
             AND other.issuer = $5 AND other.subject = link.subject)`,
      scope[0],
      id,
      issuer,
      now,
      told,
    )
  })
}
