import { findAll } from '../../kernel/query/find.ts'
import type { Values } from '../../kernel/shape/fields.ts'
import type { Work } from '../../kernel/work/context.ts'
import { stocks } from './stocks.ts'

type Stock = Values<(typeof stocks)['fields']>

/** Finds the current stock of products, by product id. Products whose stock is not tracked are left out. */
export async function findStock(
  work: Work,
  productIds: readonly string[],
): Promise<ReadonlyMap<string, Stock>> {
  const rows = await findAll(work, stocks, productIds)
  return new Map(rows.map(({ id, doc }) => [id, doc]))
}
