import type { Row } from '../kernel/declare/resource.ts'
import { Problem } from '../kernel/errors.ts'
import type { Work } from '../kernel/work/context.ts'
import { type ProductFields, products } from '../products/index.ts'
import { type ImportRow, idOf, touches } from './import-row.ts'

/** The product that each row is about, held; undefined where it is a new one; a Problem where there is none. */
export type Targets = ReadonlyMap<ImportRow, Row<ProductFields> | undefined | Problem>

/** Tells why a row is not imported. */
export type Fail = (row: Pick<ImportRow, 'number'>, error: unknown) => void

/** What the work comes to; nothing where it fails. */
export function attempt<T>(work: () => T, row: Pick<ImportRow, 'number'>, fail: Fail): T[] {
  try {
    return [work()]
  } catch (error) {
    fail(row, error)
    return []
  }
}

export async function findTargets(work: Work, rows: readonly ImportRow[]): Promise<Targets> {
  const byRef = await idsByRef(work, rows)
  const named = new Map(rows.map((row) => [row, orProblem(() => idOf(row) ?? idByRef(byRef, row))]))
  const ids = [...new Set([...named.values()].flatMap((id) => (typeof id === 'string' ? id : [])))]
  const found = new Map((await work.store.holdWhole(products, ids)).map((row) => [row.id, row]))
  return new Map(
    [...named].map(([row, id]) => [row, id instanceof Problem ? id : orProblem(() => targetOf(found, id))]),
  )
}

function orProblem<T>(work: () => T): T | Problem {
  try {
    return work()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

function targetOf(found: ReadonlyMap<string, Row<ProductFields>>, id: string | undefined) {
  if (id === undefined) return undefined
  const row = found.get(id)
  if (row) return row
  throw new Problem('not_found', `There is no product with the id ${id}.`, { source: 'data.id' })
}

/** One of the products that have an `external_ref`, and how many have it. */
type ByRef = ReadonlyMap<string, { readonly id: string; readonly count: number }>

async function idsByRef({ store }: Work, rows: readonly ImportRow[]): Promise<ByRef> {
  const refs = rows.flatMap((row) => (row.id ? [] : row.attributes.get('external_ref') || []))
  if (!refs.length) return new Map()
  const found = await store.rows(
    `SELECT external_ref, min(id::text), count(*) FROM products
     WHERE store_id = $1 AND left(external_ref, 128) = ANY($2::text[]) AND external_ref = ANY($3::text[])
     GROUP BY external_ref`,
    refs.map((ref) => [...ref].slice(0, 128).join('')),
    refs,
  )
  return new Map(found.map(([ref, id, count]) => [ref as string, { id: id as string, count: Number(count) }]))
}

function idByRef(byRef: ByRef, { attributes }: ImportRow): string | undefined {
  const { id, count = 0 } = byRef.get(attributes.get('external_ref') ?? '') ?? {}
  if (count <= 1) return id
  throw new Problem('unprocessable', `${count} products have this external_ref: name one by its id.`, {
    source: 'data.attributes.external_ref',
  })
}

/** How many of the first rows touch nothing that another of them touches. */
export function thoseApart(rows: readonly ImportRow[], targets: Targets): number {
  const touched = new Set<string>()
  const end = rows.findIndex((row) => {
    const target = targets.get(row)
    const own = target instanceof Problem ? [] : touches(row, target)
    if (own.some((one) => touched.has(one))) return true
    for (const one of own) touched.add(one)
    return false
  })
  return end < 0 ? rows.length : end
}
