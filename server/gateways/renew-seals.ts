import { isSealedWith, openOr, seal } from '../kernel/auth/seal.ts'
import type { Instance } from '../kernel/work/context.ts'
import type { Renewal } from '../kernel/work/secret-records.ts'

const gatewaysPerRound = 1000

/** Seals the secrets of all gateways with the current key. The secrets, and so the gateways, do not change. */
export async function renewSeals({ database, sealKeys }: Instance): Promise<Renewal> {
  const lost: string[] = []
  let renewed = 0
  const none = '00000000-0000-0000-0000-000000000000'
  for (let after = [none, none]; ; ) {
    const gateways = await database.run({
      text: `SELECT store_id, id, hidden->>'sealed_secrets', slug FROM gateways
             WHERE (store_id, id) > ($1, $2) AND hidden->>'sealed_secrets' IS NOT NULL
             ORDER BY store_id, id LIMIT ${gatewaysPerRound}`,
      values: after,
    })
    for (const [storeId, id, sealed, slug] of gateways as [string, string, string, string][]) {
      if (isSealedWith(sealKeys[0], sealed)) continue
      const secrets = openOr(sealKeys, sealed)
      if (secrets === undefined) {
        lost.push(`the secrets of the gateway ${slug} of the store ${storeId}`)
        continue
      }
      // Unless the secrets have changed since. A concurrent change may write the old seal back; the next run finds it.
      await database.run({
        text: `UPDATE gateways SET hidden = (hidden::jsonb || jsonb_build_object('sealed_secrets', $4::text))::json
               WHERE store_id = $1 AND id = $2 AND hidden->>'sealed_secrets' = $3`,
        values: [storeId, id, sealed, seal(sealKeys, secrets)],
      })
      renewed++
    }
    if (gateways.length < gatewaysPerRound) return { renewed, lost }
    after = gateways.at(-1)?.slice(0, 2) as string[]
  }
}
