import { mergeTotals } from '../server/kernel/merge-totals.ts'
import type { Database } from '../server/kernel/storage/database.ts'

/** What was made, to be asked for. */
export interface Seeded {
  readonly storeId: string
  readonly accountId: string
}

const perStatement = 100_000

/** Fills the store by SQL: the triggers keep feed, totals and index as for any other write. */
export async function seed(database: Database, _url: string, _token: string, rows: number): Promise<Seeded> {
  const [store] = await database.run({
    text: 'SELECT id FROM stores ORDER BY created_at LIMIT 1',
    values: [],
  })
  const storeId = store?.[0] as string
  for (let from = 1; from <= rows; from += perStatement) {
    await database.run({
      text: `
        INSERT INTO accounts (store_id, id, created_at, updated_at, doc)
        SELECT $1, (lpad(to_hex((extract(epoch FROM t) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(i % 4096), 3, '0')
          || '8' || left(md5(i::text), 15))::uuid, t, t,
          json_build_object('name', 'Account ' || i, 'legal_name', 'Company ' || i % 1000 || ' Ltd',
            'registration_id', 'R' || i, 'external_ref', 'ext-' || i, 'note', repeat('x', 300))
        FROM (SELECT i, timestamptz '2026-01-01' + i * interval '20 ms' AS t FROM generate_series($2::int, $3::int) i) s`,
      values: [storeId, from, Math.min(rows, from + perStatement - 1)],
    })
  }
  await mergeTotals.run({ database, log: undefined as never }, {})
  await database.run({ text: 'VACUUM ANALYZE', values: [] })
  await database.run({ text: 'CHECKPOINT', values: [] })
  const [account] = await database.run({
    text: 'SELECT id FROM accounts WHERE store_id = $1 ORDER BY created_at LIMIT 1 OFFSET $2',
    values: [storeId, Math.floor(rows / 2)],
  })
  return { storeId, accountId: account?.[0] as string }
}
