import type { Draft } from '../kernel/declare/resource.ts'
import { Problem } from '../kernel/errors.ts'
import type { Work } from '../kernel/work/context.ts'

/** Requests per second that the keys of one store may reserve together: a production store's rate limit. */
const reservedMax = 100

/** Refuses a key that would reserve more than the store has. Runs in the write's transaction. */
export async function refuseOverbooking(work: Work, { id, values }: Draft): Promise<void> {
  // Two keys that reserve at the same time are checked one after the other.
  await work.store.takeTurn('reserved-rate-limit')
  const [row] = await work.store.rows(
    'SELECT coalesce(sum(reserved_rate_limit), 0) FROM application_keys WHERE store_id = $1 AND id <> $2',
    id,
  )
  if (Number(row?.[0]) + Number(values.reserved_rate_limit) > reservedMax) {
    throw new Problem('conflict', `requested reserved rate limit will exceed the maximum of ${reservedMax}`, {
      source: 'data.reserved_rate_limit',
    })
  }
}
