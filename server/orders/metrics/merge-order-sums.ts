import type { Chore } from '../../kernel/work/job.ts'

/** Merged in one statement, so that a store whose history is imported does not hold up the others. */
const changesPerRound = 100_000

/** Adds what writes of orders have appended to the sums, so that readers find few changes beside them. */
export const mergeOrderSums: Chore = {
  name: 'metrics:merge-order-sums',
  attemptsMax: 3,
  every: '* * * * *',
  async run({ database }) {
    const stores = await database.run({
      text: 'SELECT DISTINCT store_id FROM order_sum_changes',
      values: [],
      long: true,
    })
    for (const [storeId] of stores) await mergeStore(storeId as string)

    async function mergeStore(storeId: string): Promise<void> {
      for (;;) {
        const [row] = await database.run({ text: mergeSql, values: [storeId, changesPerRound], long: true })
        if (Number(row?.[0]) < changesPerRound) return
      }
    }
  },
}

/** Readers see the sums before this statement, or after it. */
const mergeSql = `WITH gone AS (
    DELETE FROM order_sum_changes WHERE store_id = $1 AND ctid = ANY(ARRAY(
      SELECT ctid FROM order_sum_changes WHERE store_id = $1 LIMIT $2))
    RETURNING currency, at, orders, value, discount),
  merged AS (
    INSERT INTO order_sums AS s (store_id, currency, grain, at, orders, value, discount)
    SELECT $1, currency, g.grain, date_bin(g.length, at, '2000-01-01Z'), sum(orders), sum(value), sum(discount)
    FROM gone, (VALUES ('quarter', interval '15 minutes'), ('hour', interval '1 hour'), ('day', interval '24 hours'))
      g (grain, length)
    GROUP BY 2, 3, 4 ORDER BY 2, 3, 4
    ON CONFLICT (store_id, currency, grain, at) DO UPDATE SET orders = s.orders + excluded.orders,
      value = s.value + excluded.value, discount = s.discount + excluded.discount)
  SELECT count(*) FROM gone`
