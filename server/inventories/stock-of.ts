import { findAll } from '../kernel/query/find.ts'
import type { Values } from '../kernel/shape/fields.ts'
import type { Work } from '../kernel/work/context.ts'
import { stocks } from './stocks.ts'

export type Stock = Values<(typeof stocks)['fields']>

/** What there is of these products now, by their ids; those that are not counted are left out. */
export async function stockOf(
  work: Work,
  productIds: readonly string[],
): Promise<ReadonlyMap<string, Stock>> {
  const rows = await findAll(work, stocks, productIds)
  return new Map(rows.map(({ id, doc }) => [id, doc]))
}
