import { isSealedWith, openOr, seal } from '../kernel/auth/seal.ts'
import type { Instance } from '../kernel/work/context.ts'
import type { Renewal } from '../kernel/work/secret-records.ts'

const profilesPerRound = 1000

/** Seals the client secrets of all profiles with the current key. The secrets, and so the profiles, do not change. */
export async function renewSeals({ database, sealKeys }: Instance): Promise<Renewal> {
  const lost: string[] = []
  let renewed = 0
  const none = '00000000-0000-0000-0000-000000000000'
  for (let after = [none, none]; ; ) {
    const profiles = await database.run({
      text: `SELECT store_id, id, hidden->>'client_secret' FROM oidc_profiles WHERE (store_id, id) > ($1, $2)
             ORDER BY store_id, id LIMIT ${profilesPerRound}`,
      values: after,
    })
    for (const [storeId, id, sealed] of profiles as [string, string, string][]) {
      if (isSealedWith(sealKeys[0], sealed)) continue
      const secret = openOr(sealKeys, sealed)
      if (secret === undefined) {
        lost.push(`the client secret of the OIDC profile ${id}`)
        continue
      }
      // Unless the secret has changed since. A concurrent change may write the old seal back; the next run finds it.
      await database.run({
        text: `UPDATE oidc_profiles SET hidden = (hidden::jsonb || jsonb_build_object('client_secret', $4::text))::json
               WHERE store_id = $1 AND id = $2 AND hidden->>'client_secret' = $3`,
        values: [storeId, id, sealed, seal(sealKeys, secret)],
      })
      renewed++
    }
    if (profiles.length < profilesPerRound) return { renewed, lost }
    after = profiles.at(-1)?.slice(0, 2) as string[]
  }
}
