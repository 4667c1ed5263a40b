import type { Sql, Tuple } from '../../server/kernel/storage/database.ts'

/** Runs a statement. */
export type TableRun = (sql: Sql) => Promise<readonly Tuple[]>

/** A table with rows of stores, as the database describes it. */
export interface StoreTable {
  readonly name: string
  /** Those that are stored: a generated column follows from them. */
  readonly columns: readonly string[]
  /** The tables that must have their rows first. */
  readonly after: readonly string[]
  /** The foreign keys to the table itself, such as that of a parent in a tree. */
  readonly ownKeys: readonly string[]
  /** The identity columns, whose next value must be above all others. */
  readonly counters: readonly string[]
  readonly isTracked: boolean
  readonly isPartitioned: boolean
}

const tablesSql = `SELECT c.relname, c.relkind = 'p',
    EXISTS (SELECT FROM pg_trigger g WHERE g.tgrelid = c.oid AND g.tgname = 'track'),
    (SELECT json_agg(a.attname ORDER BY a.attnum) FROM pg_attribute a
     WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''),
    (SELECT coalesce(json_agg(a.attname), '[]') FROM pg_attribute a
     WHERE a.attrelid = c.oid AND a.attidentity <> ''),
    (SELECT coalesce(json_agg(DISTINCT t.relname), '[]') FROM pg_constraint k JOIN pg_class t ON t.oid = k.confrelid
     WHERE k.conrelid = c.oid AND k.contype = 'f' AND t.oid <> c.oid),
    (SELECT coalesce(json_agg(k.conname), '[]') FROM pg_constraint k
     WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.confrelid = c.oid)
  FROM pg_class c
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'store_id' AND NOT a.attisdropped)
  ORDER BY c.relname`

/** All tables with rows of stores: a table comes after those that it refers to. */
export async function storeTables(run: TableRun): Promise<readonly StoreTable[]> {
  const rows = await run({ text: tablesSql, values: [], once: true })
  const tables = rows.map(([name, isPartitioned, isTracked, ...lists]) => {
    const [columns = [], counters = [], after = [], ownKeys = []] = lists.map(
      (list) => JSON.parse(list as string) as string[],
    )
    return {
      name: name as string,
      isPartitioned: isPartitioned === 't',
      isTracked: isTracked === 't',
      ...{ columns, counters, after, ownKeys },
    }
  })
  return inOrder(tables)
}

function inOrder(tables: readonly StoreTable[]): readonly StoreTable[] {
  const names = new Set(tables.map(({ name }) => name))
  const placed = new Map<string, StoreTable>()
  while (placed.size < tables.length) {
    const next = tables.filter(
      ({ name, after }) => !placed.has(name) && after.every((one) => placed.has(one) || !names.has(one)),
    )
    if (!next.length) throw new Error('tables refer to each other in a circle')
    for (const table of next) placed.set(table.name, table)
  }
  return [...placed.values()]
}

export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A UUID as SQL, where a statement takes no parameters. */
export function uuidLiteral(id: string): string {
  if (!/^[0-9a-f-]{36}$/.test(id)) throw new Error(`${JSON.stringify(id)} is not an id`)
  return `'${id}'`
}
