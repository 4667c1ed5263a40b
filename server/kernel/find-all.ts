import type { Work } from '../kernel/context.ts'
import type { Fields } from '../kernel/fields.ts'
import type { Resource, Row } from '../kernel/resource.ts'
import { rowColumns, toRow } from '../kernel/storage/stored-row.ts'

/** The objects with these ids, each once, in the order of the ids. */
export async function findAll<F extends Fields>(
  work: Work,
  of: Resource<F>,
  ids: readonly string[],
): Promise<readonly Row<F>[]> {
  if (!ids.length) return []
  const tuples = await work.store.rows(
    `SELECT ${rowColumns(of)} FROM ${of.table} WHERE store_id = $1 AND id = ANY($2::uuid[])`,
    ids,
  )
  const found = new Map(tuples.map((tuple) => [tuple[0] as string, toRow(of, tuple)]))
  return [...new Set(ids)].flatMap((id) => found.get(id) ?? [])
}
