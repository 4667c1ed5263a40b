import type { Resource, Row } from '../declare/resource.ts'
import { limits } from '../query/parse.ts'
import type { Fields } from '../shape/fields.ts'
import { rowColumns } from '../storage/stored-row.ts'
import type { Work } from '../work/context.ts'
import { untilWritten } from './operations.ts'

/** The objects with these ids, each once, in the order of the ids. */
export async function findAll<F extends Fields>(
  work: Work,
  of: Resource<F>,
  ids: readonly string[],
): Promise<readonly Row<F>[]> {
  if (!ids.length) return []
  const text = `SELECT ${rowColumns(of)} FROM ${of.table} WHERE store_id = $1 AND id = ANY($2::uuid[])`
  // As many as a page has are as quick as one.
  const sql = { text, values: ['', ids], ...(ids.length <= limits.pageMax && { page: true }) }
  const rows = await untilWritten(async () => work.store.rowsOf(of, await work.store.page(sql)))
  const found = new Map(rows.map((row) => [row.id, row]))
  return [...new Set(ids)].flatMap((id) => found.get(id) ?? [])
}
