import type { Connection } from '../../kernel/storage/database.ts'
import type { Work } from '../../kernel/work/context.ts'

/**
 * Forgets what targets have answered to events of these objects, because a response may repeat what was sent. It needs
 * a transaction.
 */
export const forgetDeliveries = async ({ store, clock }: Work, ids: readonly string[]): Promise<void> =>
  void (await store.run('SELECT forget_deliveries($1, $2::uuid[], $3)', ids, clock.now()))

const rowsAtOnce = 5000
const roundsMax = 1000

/** Deletes a store's logs of deliveries, and the jobs that have ended, from before an instant. */
export async function trimDeliveries(database: Connection, storeId: string, before: Date): Promise<void> {
  for (const text of [
    trimSql('integration_logs', 'true'),
    trimSql('integration_jobs', `state <> 'waiting'`),
  ]) {
    for (let round = 0; round < roundsMax; round++) {
      const [trimmed] = await database.run({ text, values: [storeId, before, rowsAtOnce] })
      if (Number(trimmed?.[0]) < rowsAtOnce) break
    }
  }
}

const trimSql = (table: string, which: string) =>
  `WITH trimmed AS (
     DELETE FROM ${table} WHERE store_id = $1 AND id = ANY (ARRAY(
       SELECT id FROM ${table} WHERE store_id = $1 AND created_at < $2 AND ${which} LIMIT $3))
     RETURNING 1
   )
   SELECT count(*) FROM trimmed`
