import type { Binds } from '../../kernel/storage/binds.ts'
import type { Work } from '../../kernel/work/context.ts'
import { filterCondition } from '../products/filter-condition.ts'
import type { KeyGroup } from './columns.ts'

/** The products of an export: those that match the filter, except bundles. An invalid filter is a Problem (400). */
export function exportedSql(filter: string): (bind: Binds['bind']) => string {
  const filterSql = filterCondition(filter)
  return (bind) =>
    `FROM products WHERE products.store_id = $1 AND products.product_type <> 'bundle'` +
    (filterSql ? ` AND ${filterSql(bind)}` : '')
}

/** Runs a statement over the products of an export. */
async function queryExported(
  { store }: Work,
  filter: string,
  text: (products: string, bind: Binds['bind']) => string,
) {
  const values: unknown[] = []
  const bind = (value: unknown) => `$${values.push(value) + 1}`
  return store.runLong(text(exportedSql(filter)(bind), bind), ...values)
}

export async function countExported(work: Work, filter: string): Promise<number> {
  const [row] = await queryExported(work, filter, (products) => `SELECT count(*) ${products}`)
  return Number(row?.[0])
}

/** The next ids after one, in order. */
export async function listExportedAfter(
  work: Work,
  filter: string,
  behind: string,
  most: number,
): Promise<readonly string[]> {
  const rows = await queryExported(
    work,
    filter,
    (products, bind) =>
      `SELECT id ${products} AND id > ${bind(behind)}::uuid ORDER BY id LIMIT ${bind(most)}`,
  )
  return rows.map(([id]) => id as string)
}

/** The keys that the products have in a group of attributes. */
export async function listKeys(work: Work, filter: string, group: KeyGroup): Promise<readonly string[]> {
  const from = group.length + 2
  const rows = await queryExported(
    work,
    filter,
    (products, bind) =>
      `SELECT DISTINCT substr(v.name, ${from}) FROM product_values v WHERE v.store_id = $1
       AND starts_with(v.name, ${bind(`${group}.`)}) AND v.product_id IN (SELECT products.id ${products}) ORDER BY 1`,
  )
  return rows.map(([key]) => key as string)
}
