import type { Keys } from '../kernel/auth/keys.ts'
import { openOr, seal } from '../kernel/auth/seal.ts'
import type { Store } from '../kernel/storage/store.ts'

const answersPerRound = 1000
const uuids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/**
 * Empties the answers kept for idempotency keys that name one of the objects. They are sealed, so each is opened; they
 * are of one day. The keys stay: a request that is sent again must not make the person again.
 */
export async function forgetAnswers(store: Store, sealKeys: Keys, ids: readonly string[]): Promise<void> {
  const erased = new Set(ids)
  const tells = (sealed: string) => {
    const body = openOr(sealKeys, sealed)
    // What nobody can read any more may name anyone.
    return body === undefined || body.match(uuids)?.some((id) => erased.has(id))
  }
  for (let after = ''; ; ) {
    const answers = await store.rows(
      `SELECT key, body FROM idempotency_keys WHERE store_id = $1 AND key > $2 AND body IS NOT NULL
       ORDER BY key LIMIT ${answersPerRound}`,
      after,
    )
    const telling = answers.filter(([, body]) => tells(body as string)).map(([key]) => key)
    if (telling.length) {
      await store.rows(
        'UPDATE idempotency_keys SET body = $2 WHERE store_id = $1 AND key = ANY($3::text[])',
        seal(sealKeys, '{}'),
        telling,
      )
    }
    if (answers.length < answersPerRound) return
    after = answers.at(-1)?.[0] as string
  }
}
