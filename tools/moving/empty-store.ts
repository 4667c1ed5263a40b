import type { Connection } from '../../server/kernel/storage/database.ts'
import { StartupRefusal } from '../../server/platform/faults.ts'
import type { ArchiveHeader } from './archive-form.ts'
import { keyTable } from './left-behind.ts'
import { quoteName, storeTables, type TableRun } from './store-tables.ts'

/** The store of the server that the imported one replaces. */
export async function targetStore(
  database: Pick<Connection, 'run'>,
  imported: string,
  wanted: string | undefined,
): Promise<string> {
  const stores = (
    await database.run({ text: 'SELECT id FROM stores ORDER BY created_at, id', values: [] })
  ).map(([id]) => id as string)
  const found = stores.filter((id) => wanted === undefined || id === wanted)
  const [target] = found
  if (!target || found.length > 1) {
    throw new StartupRefusal(`choose the store to replace with --store: ${stores.join(', ')}`)
  }
  if (stores.includes(imported) && imported !== target) {
    throw new StartupRefusal(`this server already has the store ${imported}: import into another server`)
  }
  return target
}

/**
 * A table of the store that has more than what every store has from its first day; undefined if there is none.
 * Everything in an empty store was created by the server itself, and nothing was done since. Keys of applications do
 * not count.
 */
export async function usedTable(
  database: Pick<Connection, 'run'>,
  storeId: string,
): Promise<string | undefined> {
  const tables = (await storeTables((sql) => database.run(sql))).filter(
    ({ name, isTracked }) => isTracked && name !== keyTable,
  )
  const feed = `(SELECT c.id, c.source, c.event, c.actor FROM changes c WHERE c.store_id = $1
    UNION ALL SELECT f.id, f.source, f.event::text, f.actor FROM fresh_changes f WHERE f.store_id = $1)`
  const [used] = await database.run({
    text: `SELECT c.source FROM ${feed} c WHERE c.source <> $2 AND (c.actor <> 'system' OR c.event <> 'created') LIMIT 1`,
    values: [storeId, keyTable],
  })
  if (used?.[0]) return used[0]
  for (const { name } of tables) {
    const [row] = await database.run({
      text: `SELECT 1 FROM ${quoteName(name)} r WHERE r.store_id = $1
        AND NOT EXISTS (SELECT FROM ${feed} c WHERE c.id = r.id) LIMIT 1`,
      values: [storeId],
    })
    if (row) return name
  }
  return undefined
}

/** Throws if the store has data: an import replaces nothing. */
export async function mustBeEmpty(database: Pick<Connection, 'run'>, storeId: string): Promise<void> {
  const table = await usedTable(database, storeId)
  if (table === undefined) return
  throw new StartupRefusal(
    `the store of this server is not empty (${table}), and an import replaces nothing: ` +
      'import into a new server (another SUTLER_DATA_DIR, or another database)',
  )
}

/**
 * Deletes the empty store, and creates the imported one without rows. Returns the keys of applications of the empty
 * store, as JSON: the server keeps them.
 */
export async function clearStore(
  run: TableRun,
  target: string,
  { store, organisation }: ArchiveHeader,
): Promise<string> {
  const [keys] = await run({
    text: `SELECT coalesce(json_agg(r), '[]') FROM ${quoteName(keyTable)} r WHERE r.store_id = $1`,
    values: [target],
  })
  const tables = await storeTables(run)
  for (const { name } of tables.toReversed()) {
    await run({ text: `DELETE FROM ${quoteName(name)} WHERE store_id = $1`, values: [target] })
  }
  await run({
    text: `WITH gone AS (DELETE FROM stores WHERE id = $1 RETURNING organisation_id)
      SELECT organisation_id FROM gone`,
    values: [target],
  })
  await run({
    text: 'DELETE FROM organisations o WHERE NOT EXISTS (SELECT FROM stores s WHERE s.organisation_id = o.id)',
    values: [],
  })
  await run({
    text: 'INSERT INTO organisations (id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING',
    values: [organisation.id, organisation.name, organisation.created_at],
  })
  await run({
    text: 'INSERT INTO stores (id, organisation_id, name, created_at) VALUES ($1, $2, $3, $4)',
    values: [store.id, organisation.id, store.name, store.created_at],
  })
  return keys?.[0] as string
}
