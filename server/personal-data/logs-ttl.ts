import { singleton } from '../kernel/declare/singleton.ts'
import { trimFeeds } from '../kernel/feed/erase.ts'
import { integer } from '../kernel/shape/fields.ts'
import type { Chore } from '../kernel/work/job.ts'
import { trimDeliveries } from '../telling/index.ts'

const daysDefault = 365

export const logsTtl = singleton({
  name: 'logs-ttl',
  type: 'time_to_live',
  about: 'How long the store keeps personal data logs, and the changes that webhooks report.',
  path: '/v2/settings/logs-ttl',
  area: 'personal-data',
  operations: ['get', 'update'],
  fields: {
    days: integer({
      default: daysDefault,
      min: 1,
      max: 365,
      about: 'The number of days to keep them. Older entries are deleted once a day.',
      example: 30,
    }),
  },
  show: (_ctx, { days }) => ({ data: { type: 'time_to_live', days } }),
})

/** Deletes what is older than its store keeps it, once a day: changes, reads, and what was delivered of them. */
export const trimChanges: Chore = {
  name: 'personal-data:trim-changes',
  attemptsMax: 3,
  every: '17 3 * * *',
  run: async ({ database, clock }) => {
    const rows = await database.run({
      text: `SELECT s.id, coalesce((l.doc->>'days')::integer, $1::integer),
               (SELECT min(r.position) FROM feed_readers r WHERE r.store_id = s.id)
             FROM stores s LEFT JOIN singletons l ON l.store_id = s.id AND l.name = $2 ORDER BY s.id`,
      values: [daysDefault, logsTtl.name],
    })
    const stores = rows.map(([storeId, days, unread]) => ({
      storeId: storeId as string,
      from: new Date(clock.now().getTime() - Number(days) * msPerDay),
      // What has not become deliveries yet stays, however old.
      unread: unread == null ? Number.MAX_SAFE_INTEGER : Number(unread),
    }))
    await trimFeeds(database, stores)
    for (const { storeId, from } of stores) {
      await trimDeliveries(database, storeId, from)
      for (let round = 0; round < roundsMax; round++) {
        const [trimmed] = await database.run({ text: trimReads, values: [storeId, from, rowsPerRound] })
        if (Number(trimmed?.[0]) < rowsPerRound) break
      }
    }
  },
}

const trimReads = `WITH trimmed AS (
    DELETE FROM personal_data_reads WHERE store_id = $1 AND seq = ANY (ARRAY(
      SELECT seq FROM personal_data_reads WHERE store_id = $1 AND at < $2 ORDER BY at LIMIT $3))
    RETURNING 1
  )
  SELECT count(*) FROM trimmed`

const msPerDay = 86_400_000
const rowsPerRound = 5000
const roundsMax = 1000
