import { Binds } from '../storage/binds.ts'
import type { Sql } from '../storage/database.ts'
import { listColumns } from '../storage/stored-row.ts'
import { condition } from './condition.ts'
import { address, order } from './page-text.ts'
import type { Plan } from './plan.ts'
import type { Source } from './sql.ts'

/** The statement of all rows of a list, in order. `columns`, of `p`, are those of a row by default. */
export function everyRowSql(
  { resource, scope, where }: Source,
  { filter, sort }: Plan,
  storeId: string,
  columns = listColumns(resource, 'p.'),
): Sql {
  const binds = new Binds([storeId, ...scope])
  // The conditions refer to columns by the table's name.
  const conditions = [
    address(resource),
    ...(where ? [where(binds.bind)] : []),
    ...(filter ? [condition(filter, binds, !where)] : []),
  ]
  const rows = `SELECT * FROM ${resource.table} WHERE ${conditions.join(' AND ')}`
  const text = `SELECT ${columns} FROM (${rows}) p ORDER BY ${order(sort, 'p.')}`
  return { text, values: binds.values }
}
