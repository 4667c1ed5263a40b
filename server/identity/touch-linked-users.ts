import type { Ctx } from '../kernel/context.ts'
import type { Row } from '../kernel/resource.ts'
import { endTokensOf } from './user-token-epoch.ts'

/** A profile is about to go, and its links with it: every user who is linked to it changes, and is signed out. */
export async function touchLinkedUsers(
  ctx: Ctx,
  links: 'user_authentication_oidc_profile_infos' | 'user_authentication_password_profile_infos',
  column: 'oidc_profile_id' | 'password_profile_id',
  { id, scope: [realmId] }: Row,
): Promise<void> {
  const touched = await ctx.store.write(
    `UPDATE user_authentication_infos SET version = version + 1, updated_at = greatest(updated_at, $3::timestamptz)
     FROM set_config('sutler.by', $2, true)
     WHERE store_id = $1 AND realm_id = $4 AND id IN (
       SELECT user_authentication_info_id FROM ${links} WHERE store_id = $1 AND realm_id = $4 AND ${column} = $5) RETURNING id`,
    ctx.clock.now(),
    realmId,
    id,
  )
  await endTokensOf(
    ctx,
    realmId as string,
    touched.map(([userId]) => userId as string),
  )
}
