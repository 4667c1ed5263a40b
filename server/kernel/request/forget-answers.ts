import type { Keys } from '../auth/keys.ts'
import { seal, tryOpen } from '../auth/seal.ts'
import { isId } from '../ids.ts'
import type { Store } from '../storage/store.ts'

const answersPerRound = 1000
const uuids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/**
 * Empties the stored responses that contain one of these ids: a UUID anywhere, or another one as an `id`. Responses are
 * sealed, so it opens each; there are those of one day. The keys stay, so that a repeated request does not create the
 * object again.
 */
export async function forgetAnswers(store: Store, sealKeys: Keys, ids: readonly string[]): Promise<void> {
  const erased = new Set(ids.filter(isId))
  const chosen = ids.filter((id) => !isId(id)).map((id) => `"id":${JSON.stringify(id)}`)
  const names = (sealed: string) => {
    const body = tryOpen(sealKeys, sealed)
    // A response that cannot be opened may contain any id.
    if (body === undefined || body.match(uuids)?.some((id) => erased.has(id))) return true
    return chosen.some((id) => body.includes(id))
  }
  for (let after = ''; ; ) {
    const answers = await store.run(
      `SELECT key, body FROM idempotency_keys WHERE store_id = $1 AND key > $2 AND body IS NOT NULL
       ORDER BY key LIMIT ${answersPerRound}`,
      after,
    )
    const keys = answers.filter(([, body]) => names(body as string)).map(([key]) => key)
    if (keys.length) {
      await store.run(
        'UPDATE idempotency_keys SET body = $2 WHERE store_id = $1 AND key = ANY($3::text[])',
        seal(sealKeys, '{}'),
        keys,
      )
    }
    if (answers.length < answersPerRound) return
    after = answers.at(-1)?.[0] as string
  }
}
