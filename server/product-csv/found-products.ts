import type { Work } from '../kernel/work/context.ts'
import { filterCondition } from '../products/index.ts'
import type { KeyGroup } from './columns.ts'

type Bind = (value: unknown) => string

/** The products that an export has: those that a filter of their list finds, but bundles. Problem 400 for others. */
export function foundBy(filter: string): (bind: Bind) => string {
  const met = filterCondition(filter)
  return (bind) =>
    `FROM products WHERE products.store_id = $1 AND products.product_type <> 'bundle'` +
    (met ? ` AND ${met(bind)}` : '')
}

/** A statement of the store's about them. */
async function ask({ store }: Work, filter: string, text: (found: string, bind: Bind) => string) {
  const values: unknown[] = []
  const bind = (value: unknown) => `$${values.push(value) + 1}`
  return store.bulk(text(foundBy(filter)(bind), bind), ...values)
}

export async function countFound(work: Work, filter: string): Promise<number> {
  const [row] = await ask(work, filter, (found) => `SELECT count(*) ${found}`)
  return Number(row?.[0])
}

/** The ids of some of them, in their order, behind one. */
export async function foundBehind(
  work: Work,
  filter: string,
  behind: string,
  most: number,
): Promise<readonly string[]> {
  const rows = await ask(
    work,
    filter,
    (found, bind) => `SELECT id ${found} AND id > ${bind(behind)}::uuid ORDER BY id LIMIT ${bind(most)}`,
  )
  return rows.map(([id]) => id as string)
}

/** The keys that they have in a group of attributes. */
export async function keysFound(work: Work, filter: string, group: KeyGroup): Promise<readonly string[]> {
  const from = group.length + 2
  const rows = await ask(
    work,
    filter,
    (found, bind) =>
      `SELECT DISTINCT substr(v.name, ${from}) FROM product_values v WHERE v.store_id = $1
       AND starts_with(v.name, ${bind(`${group}.`)}) AND v.product_id IN (SELECT products.id ${found}) ORDER BY 1`,
  )
  return rows.map(([key]) => key as string)
}
