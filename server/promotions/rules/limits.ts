import { Problem } from '../../kernel/errors.ts'
import type { Work } from '../../kernel/work/context.ts'

/** Two promotions that run or are scheduled must not have the same priority. A unique index keeps this. */

/** The values of a promotion that decide whether it holds its priority. */
interface PriorityValues {
  priority: number | null | undefined
  enabled: boolean
  ends_at_ms: number | undefined
  held_priority: number | undefined
}

/** Holds the priority for a promotion that runs or is scheduled, and takes it from those that have ended. */
export async function holdPriority({ store, clock }: Work, values: PriorityValues): Promise<void> {
  values.priority ??= undefined
  values.held_priority = undefined
  const { priority, enabled, ends_at_ms = 0 } = values
  const now = clock.now()
  if (priority === undefined || !enabled || ends_at_ms <= now.getTime()) return
  values.held_priority = priority
  await store.run(
    `UPDATE rule_promotions SET hidden = (hidden::jsonb - 'held_priority')::json
     WHERE store_id = $1 AND priority = $2 AND ends_at <= $3`,
    priority,
    now,
  )
}

/** Every cart is checked against all of them. */
const automaticMax = 50

interface Candidate {
  readonly enabled: boolean
  readonly automatic: boolean
  readonly ends_at_ms?: number | undefined
}

/** Refuses one automatic promotion too many. Only those count that run or are scheduled. */
export async function limitAutomatic(
  { store, clock }: Work,
  id: string,
  { enabled, automatic, ends_at_ms = 0 }: Candidate,
): Promise<void> {
  const now = clock.now()
  if (!enabled || !automatic || ends_at_ms <= now.getTime()) return
  // Those that become automatic at the same time are counted one after the other.
  await store.advisoryLock('automatic-rule-promotions')
  const [[others] = []] = await store.run(
    `SELECT count(*) FROM rule_promotions
     WHERE store_id = $1 AND enabled AND automatic AND ends_at > $2 AND id <> $3`,
    now,
    id,
  )
  if (Number(others) < automaticMax) return
  const detail = `A store can have at most ${automaticMax} automatic rule promotions that run or are scheduled.`
  throw new Problem('bad_request', detail, {
    title: 'Too many automatic rule promotions',
    source: 'data.automatic',
  })
}
