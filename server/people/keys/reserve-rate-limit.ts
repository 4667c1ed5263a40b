import { Problem } from '../../kernel/errors.ts'
import type { Draft } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'

/** Requests per second that all keys of a store can reserve together: the rate limit of a production store. */
const reservedMax = 100

/** Refuses a key that would reserve more than the store has left. Runs in the transaction of the write. */
export async function refuseOverbooking(work: Work, { id, values }: Draft): Promise<void> {
  // Concurrent writes of two keys are checked one after the other.
  await work.store.advisoryLock('reserved-rate-limit')
  const [row] = await work.store.run(
    'SELECT coalesce(sum(reserved_rate_limit), 0) FROM application_keys WHERE store_id = $1 AND id <> $2',
    id,
  )
  if (Number(row?.[0]) + Number(values.reserved_rate_limit) > reservedMax) {
    throw new Problem('conflict', `requested reserved rate limit will exceed the maximum of ${reservedMax}`, {
      source: 'data.reserved_rate_limit',
    })
  }
}
