import type { Chore } from '../kernel/jobs.ts'
import { daysDefault, logsTtl } from './logs-ttl.ts'

/** Deletes the changes and reads that are older than their store wants them kept, once a day, few at a time. */
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
      for (const trim of ['trim_changes', 'trim_personal_data_reads']) {
        for (let round = 0; round < roundsMax; round++) {
          const [trimmed] = await database.run({
            text: `SELECT ${trim}($1, $2, $3)`,
            values: [storeId, before, rowsPerRound],
          })
          if (Number(trimmed?.[0]) === 0) break
        }
      }
    }
  },
}

const msPerDay = 86_400_000
const rowsPerRound = 5000
const roundsMax = 1000
