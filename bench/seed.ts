import { mergeTotals } from '../server/kernel/query/merge-totals.ts'
import type { Database } from '../server/kernel/storage/database.ts'
import type { Instance } from '../server/kernel/work/context.ts'

/** The seeded objects. */
export interface SeededObjects {
  readonly storeId: string
  /** An account in the middle of the list, and when it was created and last changed. */
  readonly accountId: string
  readonly accountAt: string
  /** More accounts, so that writes do not all hit one row. */
  readonly accountIds: readonly string[]
  /** More accounts than a client reads one by one within an hour. */
  readonly manyAccountIds: readonly string[]
  readonly customApiId: string
  readonly entryId: string
}

const perStatement = 50_000
/**
 * There are fewer entries than accounts: writing an entry takes several times as long, because each of its fields is
 * indexed.
 */
export const entriesOf = (rows: number) => Math.ceil(rows / 5)
/** More than `ReadRecorder` keeps in memory. */
const manyIds = 250_000

// Ordered by creation, like the ids that the server creates.
const uuidOf = `(lpad(to_hex((extract(epoch FROM t) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(i % 4096), 3, '0')
  || '8' || left(md5(i::text), 15))::uuid`

/** Fills the store by SQL: the triggers keep feed, totals and index as for any other write. */
export async function seed(
  database: Database,
  url: string,
  token: string,
  rows: number,
): Promise<SeededObjects> {
  const customApiId = await makeCustomApi(url, token)
  const [store] = await database.run({
    text: 'SELECT id FROM stores ORDER BY created_at LIMIT 1',
    values: [],
  })
  const storeId = store?.[0] as string
  const table = async (rows: number, text: string, ...values: string[]) => {
    for (let from = 1; from <= rows; from += perStatement) {
      await database.run({
        text: `${text} FROM (SELECT i, timestamptz '2026-01-01' + i * interval '20 ms' AS t
          FROM generate_series($2::int, $3::int) i) s`,
        values: [storeId, from, Math.min(rows, from + perStatement - 1), ...values],
      })
      await database.run({ text: 'SELECT sequence_store($1)', values: [storeId] })
    }
  }
  await Promise.all([
    table(
      rows,
      `INSERT INTO accounts (store_id, id, created_at, updated_at, doc)
        SELECT $1, ${uuidOf}, t, t,
          json_build_object('name', 'Account ' || i, 'legal_name', 'Company ' || i % 1000 || ' Ltd',
            'registration_id', 'R' || i, 'external_ref', 'ext-' || i, 'note', repeat('x', 300))`,
    ),
    table(
      entriesOf(rows),
      `INSERT INTO entries (store_id, custom_api_id, id, created_at, updated_at, doc, hidden)
        SELECT $1, $4, ${uuidOf}, t, t,
          json_build_object('title', 'Wish ' || i, 'amount', i % 2000, 'note', repeat('x', 200)),
          '{"meta": {"data_size": 230}}'`,
      customApiId,
    ),
  ])
  // If the server's own merger runs, this one leaves the work to it.
  for (let waiting = 1; waiting > 0; ) {
    await mergeTotals.run({ database } as Instance)
    const [row] = await database.run({ text: 'SELECT count(*) FROM list_deltas', values: [] })
    waiting = Number(row?.[0])
    if (waiting > 0) await new Promise((done) => setTimeout(done, 500))
  }
  await database.run({ text: 'VACUUM ANALYZE', values: [] })
  await database.run({ text: 'CHECKPOINT', values: [] })
  const [account] = await database.run({
    text: `SELECT id, to_json(created_at AT TIME ZONE 'UTC')#>>'{}' || 'Z' FROM accounts WHERE store_id = $1
      ORDER BY created_at LIMIT 1 OFFSET $2`,
    values: [storeId, Math.floor(rows / 2)],
  })
  const ids = await database.run({
    text: 'SELECT id FROM accounts WHERE store_id = $1 ORDER BY md5(id::text) LIMIT $2',
    values: [storeId, manyIds],
  })
  const [entry] = await database.run({
    text: 'SELECT id FROM entries WHERE store_id = $1 AND custom_api_id = $3 ORDER BY created_at LIMIT 1 OFFSET $2',
    values: [storeId, Math.floor(entriesOf(rows) / 2), customApiId],
  })
  return {
    storeId,
    accountId: account?.[0] as string,
    accountAt: account?.[1] as string,
    accountIds: ids.slice(0, 1000).map(([id]) => id as string),
    manyAccountIds: ids.map(([id]) => id as string),
    customApiId,
    entryId: entry?.[0] as string,
  }
}

async function makeCustomApi(url: string, token: string): Promise<string> {
  const path = '/v2/settings/extensions/custom-apis'
  const post = async (path: string, data: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify({ data }) })
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return ((await answer.json()) as { data: { id: string } }).data.id
  }
  const id = await post(path, { type: 'custom_api', name: 'Wishes', slug: 'wishes', api_type: 'wish_ext' })
  const field = { type: 'custom_field' }
  await post(`${path}/${id}/fields`, { ...field, name: 'Title', slug: 'title', field_type: 'string' })
  await post(`${path}/${id}/fields`, { ...field, name: 'Amount', slug: 'amount', field_type: 'integer' })
  await post(`${path}/${id}/fields`, { ...field, name: 'Note', slug: 'note', field_type: 'any' })
  return id
}
