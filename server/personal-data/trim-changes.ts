import type { Chore } from '../kernel/work/job.ts'
import { daysDefault, logsTtl } from './logs-ttl.ts'

/** Deletes the changes and reads that are older than their store keeps them, once a day and in batches. */
export const trimChanges: Chore = {
  name: 'personal-data:trim-changes',
  attemptsMax: 3,
  every: '17 3 * * *',
  run: async ({ database, clock }) => {
    const stores = await database.run({
      text: `SELECT s.id, coalesce((l.doc->>'days')::integer, $1::integer) FROM stores s
             LEFT JOIN singletons l ON l.store_id = s.id AND l.name = $2 ORDER BY s.id`,
      values: [daysDefault, logsTtl.name],
    })
    const now = clock.now().getTime()
    for (const [storeId, days] of stores) {
      const before = new Date(now - Number(days) * msPerDay)
      for (const text of [trimSql('changes', 'position'), trimSql('personal_data_reads', 'seq')]) {
        for (let round = 0; round < roundsMax; round++) {
          const [trimmed] = await database.run({ text, values: [storeId, before, rowsPerRound] })
          if (Number(trimmed?.[0]) < rowsPerRound) break
        }
      }
    }
  },
}

/** It finds rows by time, because the order of the keys is not quite that of the times. */
const trimSql = (table: string, key: string) =>
  `WITH trimmed AS (
     DELETE FROM ${table} WHERE store_id = $1 AND ${key} = ANY (ARRAY(
       SELECT ${key} FROM ${table} WHERE store_id = $1 AND at < $2 ORDER BY at LIMIT $3))
     RETURNING 1
   )
   SELECT count(*) FROM trimmed`

const msPerDay = 86_400_000
const rowsPerRound = 5000
const roundsMax = 1000
