import type { Work } from '../kernel/context.ts'
import type { Fields } from '../kernel/fields.ts'
import { untilWritten } from '../kernel/operations.ts'
import type { Resource, Row } from '../kernel/resource.ts'
import { rowColumns } from '../kernel/storage/stored-row.ts'

/** The objects with these ids, each once, in the order of the ids. */
export async function findAll<F extends Fields>(
  work: Work,
  of: Resource<F>,
  ids: readonly string[],
): Promise<readonly Row<F>[]> {
  if (!ids.length) return []
  const text = `SELECT ${rowColumns(of)} FROM ${of.table} WHERE store_id = $1 AND id = ANY($2::uuid[])`
  const rows = await untilWritten(async () => work.store.rowsOf(of, await work.store.rows(text, ids)))
  const found = new Map(rows.map((row) => [row.id, row]))
  return [...new Set(ids)].flatMap((id) => found.get(id) ?? [])
}
