import { Problem } from '../../kernel/errors.ts'
import type { Row } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { findIdsByRef } from '../../store/index.ts'
import type { ProductFields } from '../product-fields/product-fields.ts'
import { products } from '../products/products.ts'
import { type ImportRow, listUniqueValues, readId } from './import-row.ts'

/** The locked product of each row. Undefined for a new product; a Problem if the product does not exist. */
export type RowTargets = ReadonlyMap<ImportRow, Row<ProductFields> | undefined | Problem>

export async function findTargets(work: Work, rows: readonly ImportRow[]): Promise<RowTargets> {
  const refs = rows.flatMap((row) => (row.id ? [] : row.attributes.get('external_ref') || []))
  const byRef = await findIdsByRef(work, { table: products.table, nouns: 'products' }, refs)
  const productOf = (row: ImportRow) => readId(row) ?? byRef(row.attributes.get('external_ref') ?? '')
  const named = new Map(rows.map((row) => [row, catchProblem(() => productOf(row))]))
  const ids = [...new Set([...named.values()].flatMap((id) => (typeof id === 'string' ? id : [])))]
  const rowsById = new Map((await work.store.lockWhole(products, ids)).map((row) => [row.id, row]))
  return new Map(
    [...named].map(([row, id]) => [
      row,
      id instanceof Problem ? id : catchProblem(() => pickTarget(rowsById, id)),
    ]),
  )
}

function catchProblem<T>(work: () => T): T | Problem {
  try {
    return work()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

function pickTarget(rowById: ReadonlyMap<string, Row<ProductFields>>, id: string | undefined) {
  if (id === undefined) return undefined
  const row = rowById.get(id)
  if (row) return row
  throw new Problem('not_found', `There is no product with the id ${id}.`, { source: 'data.id' })
}

/** How many of the first rows share no unique value with each other. */
export function countIndependent(rows: readonly ImportRow[], targets: RowTargets): number {
  const touched = new Set<string>()
  const end = rows.findIndex((row) => {
    const target = targets.get(row)
    const own = target instanceof Problem ? [] : listUniqueValues(row, target)
    if (own.some((one) => touched.has(one))) return true
    for (const one of own) touched.add(one)
    return false
  })
  return end < 0 ? rows.length : end
}
