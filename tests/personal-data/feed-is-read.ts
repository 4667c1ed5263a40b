import { until } from '../support/until.ts'
import type { World } from '../support/world.ts'

/** Waits until the deliveries have read the feed of the store: what they have not read is not trimmed. */
export const untilFeedIsRead = (world: World) =>
  until(async () => {
    const { rows } = await world.sql(
      `SELECT FROM feeds f LEFT JOIN feed_readers r ON r.store_id = f.store_id AND r.reader = 'deliveries'
       WHERE f.store_id = $1 AND f.position > coalesce(r.position, 0)`,
      [world.storeId],
    )
    return rows.length === 0 || undefined
  })
