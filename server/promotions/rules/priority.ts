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
